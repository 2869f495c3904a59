"""Drafts: stored once, never over a version that the writer did not see."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from judge.db import Database
from judge.drafts import DraftChanged, DraftTooLarge, find_draft, save_draft, text_of
from judge.models import Draft, User, now
from judge.users import Person, add_user, change_role, local_user


@pytest.fixture
def database(tmp_path: Path) -> Database:
    opened = Database(f"sqlite:///{tmp_path / 'judge.sqlite3'}")
    opened.upgrade()
    return opened


@pytest.fixture
def me(database: Database) -> int:
    return local_user(database)


def stored(database: Database, user_id: int, slug: str = "s") -> str | None:
    with database.read() as session:
        draft = find_draft(session, user_id, slug)
    return text_of(draft) if draft else None


def test_each_store_is_a_new_version(database: Database, me: int) -> None:
    assert save_draft(database, me, "s", "a", 0).version == 1
    assert save_draft(database, me, "s", "b", 1).version == 2
    assert (stored(database, me), stored(database, me, "other")) == ("b", None)


def test_a_writer_who_missed_a_version_is_shown_it(database: Database, me: int) -> None:
    save_draft(database, me, "s", "a", 0)
    save_draft(database, me, "s", "b", 1)
    for based_on in (0, 1, 7):
        with pytest.raises(DraftChanged) as changed:
            save_draft(database, me, "s", "mine", based_on)
        assert changed.value.draft is not None and changed.value.draft.version == 2
    assert stored(database, me) == "b"


def test_the_same_source_sent_twice_is_no_conflict(database: Database, me: int) -> None:
    save_draft(database, me, "s", "a", 0)
    assert save_draft(database, me, "s", "a", 0).version == 1


def test_a_form_without_a_version_overwrites(database: Database, me: int) -> None:
    save_draft(database, me, "s", "a", 0)
    assert save_draft(database, me, "s", "b", None).version == 2


def test_a_version_of_an_empty_database_is_a_conflict_with_nothing(database: Database, me: int) -> None:
    with pytest.raises(DraftChanged) as changed:
        save_draft(database, me, "s", "a", 3)
    assert changed.value.draft is None


def test_what_no_submission_could_hold_is_refused(database: Database, me: int) -> None:
    save_draft(database, me, "s", "#" * (128 << 10), 0)
    with pytest.raises(DraftTooLarge, match="128 KiB"):
        save_draft(database, me, "s", "é" * (64 << 10) + "x", 1)


def test_any_text_comes_back_as_it_was(database: Database, me: int) -> None:
    for version, text in enumerate(("", "x\0y", "\ud800", "注意\r\n\t")):
        save_draft(database, me, "s", text, version)
        assert stored(database, me) == text


@pytest.mark.parametrize("local_is_newer", [True, False])
def test_a_first_admin_gets_the_local_users_drafts_the_newer_of_two(
    database: Database, me: int, local_is_newer: bool
) -> None:
    save_draft(database, me, "only-local", "kept", 0)
    save_draft(database, me, "both", "local", 0)
    with database.write() as session:
        anna = add_user(session, Person("anna"), "code").id
    save_draft(database, anna, "both", "anna", 0)
    with database.write() as session:
        draft = session.get_one(Draft, (me, "both"))
        draft.updated_at = now() + timedelta(hours=1 if local_is_newer else -1)
    with database.write() as session:
        change_role(session, "anna", "admin")
    assert stored(database, anna, "only-local") == "kept"
    assert stored(database, anna, "both") == ("local" if local_is_newer else "anna")
    with database.read() as session:
        assert session.get(User, me) is None
