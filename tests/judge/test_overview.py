"""A learner's standing by problem and chapter, and what to do next."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from pathlib import Path

import pytest

from judge.books import chapter_titles
from judge.db import Database
from judge.drafts import save_draft
from judge.models import Judgement, Submission, now
from judge.openings import give_up
from judge.overview import Filter, Row, beside, by_chapter, next_up, read_rows
from judge.problem import Problem, ProblemError, load_problem
from judge.users import local_user

BANK = Path(__file__).parent / "bank"


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    """Four problems: a (1, chapter 2), b and d (2 and 4, chapter 1), c (3, chapter 2)."""
    one = load_problem(BANK / "tiny" / "901-add")
    places = [("a", 1, 2), ("b", 2, 1), ("c", 3, 2), ("d", 4, 1)]
    return [dataclasses.replace(one, slug=slug, number=number, chapter=ch) for slug, number, ch in places]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    opened = Database(f"sqlite:///{tmp_path / 'judge.sqlite3'}")
    opened.upgrade()
    return opened


@pytest.fixture
def me(database: Database) -> int:
    return local_user(database)


def sent(
    database: Database, user: int, slug: str, verdict: str, minutes: int = 0, mode: str = "submit"
) -> None:
    when = now() + timedelta(minutes=minutes)
    score = {"AC": 100.0, "WA": 40.0}[verdict]
    with database.write() as session:
        submission = Submission(user_id=user, slug=slug, number=1, mode=mode, source=b"x", created_at=when)
        session.add(Judgement(submission=submission, seed="0", status="done", verdict=verdict, score=score))


def rows(database: Database, user: int, problems: list[Problem]) -> list[Row]:
    with database.read() as session:
        return read_rows(session, user, problems)


def up(database: Database, user: int, problems: list[Problem]) -> tuple[str, str] | None:
    found = next_up(rows(database, user, problems))
    return (found[0].problem.slug, found[1]) if found else None


def test_rows_come_by_chapter_then_number(database: Database, me: int, problems: list[Problem]) -> None:
    found = rows(database, me, problems)
    assert [row.problem.slug for row in found] == ["b", "d", "a", "c"]
    assert [(one.number, len(one.rows), one.solved) for one in by_chapter(found)] == [(1, 2, 0), (2, 2, 0)]
    assert {row.status for row in found} == {"new"}


def test_what_was_sent_run_or_written_is_tried(database: Database, me: int, problems: list[Problem]) -> None:
    sent(database, me, "a", "WA")
    sent(database, me, "b", "AC", mode="run")
    save_draft(database, me, "c", "x", 0)
    found = {row.problem.slug: (row.status, row.best_score) for row in rows(database, me, problems)}
    assert found == {"a": ("tried", 40.0), "b": ("tried", None), "c": ("tried", None), "d": ("new", None)}


def test_what_is_begun_goes_on_first_the_latest(database: Database, me: int, problems: list[Problem]) -> None:
    assert up(database, me, problems) == ("b", "next")
    sent(database, me, "c", "WA", minutes=1)
    sent(database, me, "d", "WA", minutes=2)
    assert up(database, me, problems) == ("d", "continue")
    give_up(database, me, "d")
    assert up(database, me, problems) == ("c", "continue")


def test_after_a_solved_one_comes_the_next_of_the_book(
    database: Database, me: int, problems: list[Problem]
) -> None:
    sent(database, me, "d", "AC")
    assert up(database, me, problems) == ("a", "next")
    sent(database, me, "c", "AC", minutes=1)
    assert up(database, me, problems) == ("b", "next")


def test_what_was_given_up_comes_last_and_then_nothing(
    database: Database, me: int, problems: list[Problem]
) -> None:
    for slug in "abc":
        sent(database, me, slug, "AC")
    give_up(database, me, "d")
    assert up(database, me, problems) == ("d", "again")
    sent(database, me, "d", "AC")
    assert up(database, me, problems) is None
    assert up(database, me, []) is None


def test_neighbours_follow_the_same_order(database: Database, me: int, problems: list[Problem]) -> None:
    found = rows(database, me, problems)
    names = [
        tuple(one.problem.slug if one else None for one in beside(found, slug))
        for slug in ("b", "a", "c", "x")
    ]
    assert names == [(None, "d"), ("d", "c"), ("a", None), (None, None)]


@pytest.mark.parametrize(
    ("wanted", "slugs"),
    [
        (Filter(), "bdac"),
        (Filter(chapter="2"), "ac"),
        (Filter(words="#3"), "c"),
        (Filter(words="add tiny"), ""),
        (Filter(difficulty="easy", status="new"), "bdac"),
        (Filter(status="solved"), ""),
        (Filter(tag="no-such-tag"), ""),
        (Filter(chapter="²"), ""),
    ],
)
def test_a_filter_keeps_what_fits_every_field(
    database: Database, me: int, problems: list[Problem], wanted: Filter, slugs: str
) -> None:
    found = rows(database, me, problems)
    assert "".join(row.problem.slug for row in found if wanted.fits(row)) == slugs


def book(root: Path, text: str) -> Path:
    (root / "book").mkdir(parents=True)
    (root / "book" / "book.toml").write_text(text, "utf-8")
    return root


def test_a_later_root_names_a_chapter_anew(tmp_path: Path) -> None:
    one = book(tmp_path / "one", '[chapters]\n1 = { zh = "一", en = "One" }\n2 = { zh = "二", en = "Two" }\n')
    two = book(tmp_path / "two", '[chapters]\n2 = { zh = "贰", en = "TWO" }\n')
    assert {number: title["en"] for number, title in chapter_titles([one, two]).items()} == {
        1: "One",
        2: "TWO",
    }
    assert chapter_titles([BANK]) == {}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[chapters]\none = { zh = '一', en = 'One' }", "one must be the number"),
        ("[chapters]\n1 = { zh = '一' }", "en is missing"),
        ("[chapters", "not valid TOML"),
        ("x = 1\n[chapters]", "unknown key x"),
    ],
)
def test_a_wrong_book_file_is_one_line_that_names_it(tmp_path: Path, text: str, named: str) -> None:
    root = book(tmp_path, text)
    with pytest.raises(ProblemError, match=r"book\.toml") as error:
        chapter_titles([root])
    assert named in str(error.value)
