"""Hints and solutions that were opened, and who may see a solution."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge import openings
from judge.db import Database
from judge.models import Judgement, Submission
from judge.users import Person, add_user, change_role, local_user


@pytest.fixture
def database(tmp_path: Path) -> Database:
    opened = Database(f"sqlite:///{tmp_path / 'judge.sqlite3'}")
    opened.upgrade()
    return opened


@pytest.fixture
def me(database: Database) -> int:
    return local_user(database)


def state(database: Database, user_id: int, slug: str = "s") -> openings.Opened:
    with database.read() as session:
        return openings.opened(session, user_id, slug)


def judged(database: Database, user_id: int, verdict: str, mode: str = "submit") -> None:
    with database.write() as session:
        submission = Submission(user_id=user_id, slug="s", number=1, mode=mode, source=b"x")
        session.add(Judgement(submission=submission, seed="0", status="done", verdict=verdict, score=100.0))


def test_nothing_is_open_at_first(database: Database, me: int) -> None:
    assert state(database, me) == openings.Opened(0, None, False)
    assert not state(database, me).solution


def test_hints_stay_open_and_open_twice_is_once(database: Database, me: int) -> None:
    openings.open_hint(database, me, "s", 1)
    openings.open_hint(database, me, "s", 2)
    openings.open_hint(database, me, "s", 2)
    assert state(database, me).hints == 2
    assert state(database, me, "other").hints == 0


def test_giving_up_opens_the_solution_and_is_dated(database: Database, me: int) -> None:
    openings.give_up(database, me, "s")
    first = state(database, me).gave_up_at
    openings.give_up(database, me, "s")
    assert first is not None and state(database, me).gave_up_at == first
    assert state(database, me).solution and not state(database, me).solved
    with database.read() as session:
        assert openings.given_up(session, me) == {"s"}


@pytest.mark.parametrize(
    ("verdict", "mode", "opens"), [("AC", "submit", True), ("AC", "run", False), ("WA", "submit", False)]
)
def test_only_an_accepted_submission_opens_it(
    database: Database, me: int, verdict: str, mode: str, opens: bool
) -> None:
    judged(database, me, verdict, mode)
    assert state(database, me).solution is opens


def test_a_first_admin_takes_them_over(database: Database, me: int) -> None:
    openings.open_hint(database, me, "s", 2)
    with database.write() as session:
        anna = add_user(session, Person("anna"), "code").id
    openings.open_hint(database, anna, "s", 1)
    with database.write() as session:
        change_role(session, "anna", "admin")
    assert state(database, anna).hints == 2
