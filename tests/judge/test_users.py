"""Users: the local one and whose it becomes, names, roles, and a class list that comes in whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select, text

from judge.config import Config, ConfigError
from judge.db import Database
from judge.models import Judgement, Mistake, Submission, User
from judge.passwords import hash_code
from judge.service import Service
from judge.startup import NoBoundary
from judge.users import (
    BadUser,
    Person,
    add_user,
    can_log_in,
    change_role,
    import_people,
    local_user,
    reset_user,
    suspend_user,
)
from tests.judge.test_service import make_config

HASH = hash_code("K7QF-3MXR-9TWD")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    opened = Database(f"sqlite:///{tmp_path / 'judge.sqlite3'}")
    opened.upgrade()
    return opened


def add(database: Database, name: str, role: str = "learner") -> int:
    with database.write() as session:
        return add_user(session, Person(name, "", role), HASH).id  # type: ignore[arg-type]


def submit(database: Database, user_id: int) -> int:
    with database.write() as session:
        submission = Submission(user_id=user_id, slug="s", number=1, mode="submit", source=b"x")
        session.add(submission)
        session.flush()
        return submission.id


def owner(database: Database, submission_id: int) -> str:
    with database.read() as session:
        user_id = session.get_one(Submission, submission_id).user_id
        return session.get_one(User, user_id).name


def test_the_first_admin_takes_the_local_users_work_over(database: Database) -> None:
    local = local_user(database)
    number = submit(database, local)
    assert add(database, "teacher", "admin") == local
    assert owner(database, number) == "teacher"
    assert local_user(database, accounts=True) == local
    assert local_user(database) == local


def test_so_does_a_learner_who_becomes_the_first_admin(database: Database) -> None:
    number = submit(database, local_user(database))
    add(database, "anna")
    with database.write() as session:
        change_role(session, "anna", "admin")
    assert owner(database, number) == "anna"
    with database.read() as session:
        assert session.scalars(select(User.name)).all() == ["anna"]


def test_a_second_admin_takes_nothing(database: Database) -> None:
    number = submit(database, local_user(database))
    add(database, "teacher", "admin")
    add(database, "other", "admin")
    assert owner(database, number) == "teacher"


def test_two_users_never_run_without_accounts(database: Database, tmp_path: Path) -> None:
    local_user(database)
    add(database, "anna")
    with pytest.raises(BadUser) as refused:
        local_user(database)
    assert "JUDGE_ACCOUNTS=on" in refused.value.line("zh") and "\n" not in refused.value.line("en")
    assert local_user(database, accounts=True) == 1


def test_a_server_for_one_does_not_start_on_a_class(database: Database, tmp_path: Path) -> None:
    add(database, "anna")
    add(database, "ben")
    config = make_config(tmp_path, JUDGE_DATABASE_URL=str(database.engine.url))
    service = Service(config, judge=lambda *_: pytest.fail("nothing is judged"))
    with pytest.raises(BadUser, match="2 users"):
        service.start()


def test_a_learner_is_never_who_works_at_the_servers_command_line(database: Database) -> None:
    anna = add(database, "anna")
    assert local_user(database, accounts=True) != anna


def test_a_name_is_taken_in_any_spelling(database: Database) -> None:
    add(database, "Anna")
    with pytest.raises(BadUser, match="already"):
        add(database, "anna")


def test_one_admin_stays(database: Database) -> None:
    add(database, "teacher", "admin")
    with pytest.raises(BadUser, match="only admin"), database.write() as session:
        change_role(session, "teacher", "learner")
    add(database, "other", "admin")
    with database.write() as session:
        assert change_role(session, "teacher", "learner").role == "learner"


def test_a_suspended_admin_does_not_count_as_one(database: Database) -> None:
    add(database, "teacher", "admin")
    add(database, "other", "admin")
    with database.write() as session:
        suspended = suspend_user(session, "teacher")
        assert (suspended.password_hash, suspended.code_hash) == (None, None)
    for change in (lambda s: suspend_user(s, "other"), lambda s: change_role(s, "other", "learner")):
        with pytest.raises(BadUser, match="only admin"), database.write() as session:
            change(session)
    with database.write() as session:
        reset_user(session, "teacher", HASH)
        assert suspend_user(session, "other").role == "admin"


def test_whether_anybody_could_log_in(database: Database) -> None:
    local_user(database)
    assert not can_log_in(database)
    add(database, "anna")
    assert not can_log_in(database)
    add(database, "teacher", "admin")
    assert can_log_in(database)


def test_a_second_import_renames_and_adds(database: Database) -> None:
    with database.write() as session:
        assert import_people(session, [Person("007", "James")], [HASH]) == ([0], 0)
    people = [Person("007", "James B."), Person("008", "Bill")]
    with database.write() as session:
        assert import_people(session, people, [HASH, HASH]) == ([1], 1)
    with database.read() as session:
        rows = session.execute(select(User.name, User.full_name).order_by(User.name)).all()
    assert [tuple(row) for row in rows] == [("007", "James B."), ("008", "Bill")]


def test_accounts_lower_the_level_and_can_be_set(tmp_path: Path) -> None:
    assert make_config(tmp_path).level == "full"
    assert make_config(tmp_path, JUDGE_ACCOUNTS="on").level == "diagnosis"
    assert make_config(tmp_path, JUDGE_ACCOUNTS="on", JUDGE_LEVEL="verdict").level == "verdict"
    with pytest.raises(ConfigError, match="JUDGE_ACCOUNTS"):
        make_config(tmp_path, JUDGE_ACCOUNTS="yes")


@pytest.mark.parametrize("more", [{"JUDGE_ACCOUNTS": "on"}, {"JUDGE_HOST": "0.0.0.0"}])
def test_a_sandbox_without_a_boundary_is_for_one_person_here(tmp_path: Path, more: dict[str, str]) -> None:
    config: Config = make_config(tmp_path, JUDGE_SANDBOX="process", **more)
    with pytest.raises(NoBoundary, match="isolates nothing"):
        Service(config).start()


def test_the_migration_counts_the_mistakes_of_old_reports(database: Database) -> None:
    number = submit(database, local_user(database))
    report = '{"cases": [{"mistake": "a"}, {"mistake": "b"}, {"mistake": "a"}, {"mistake": null}]}'
    with database.write() as session:
        session.add(Judgement(submission_id=number, status="done", seed="", report=report))
        session.add(Judgement(submission_id=number, status="queued", seed=""))
    with database.write() as session:  # back to what the first release knew
        for statement in (
            *(
                f"DROP INDEX ix_{name}"
                for name in ("submissions_user", "submissions_slug", "judgements_submission")
            ),
            "CREATE INDEX ix_submissions_user_slug ON submissions (user_id, slug)",
            "CREATE INDEX ix_judgements_submission_id ON judgements (submission_id)",
            "DROP TABLE drafts",
            "DROP TABLE openings",
            "DROP TABLE mistakes",
            "DROP TABLE logins",
            "ALTER TABLE judgements DROP COLUMN rejudge",
            "ALTER TABLE users DROP COLUMN full_name",
            "ALTER TABLE users DROP COLUMN password_hash",
            "ALTER TABLE users DROP COLUMN code_hash",
            "UPDATE alembic_version SET version_num = '0001'",
        ):
            session.execute(text(statement))
    database.upgrade()
    with database.read() as session:
        assert session.scalars(select(Mistake.key).order_by(Mistake.key)).all() == ["a", "b"]
        assert session.scalars(select(Judgement.rejudge)).all() == [False, False]
        assert session.scalars(select(User.full_name)).all() == [""]
