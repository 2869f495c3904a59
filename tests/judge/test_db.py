from __future__ import annotations

import sqlite3
import threading
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config as AlembicConfig
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from judge import db
from judge.db import Database, DatabaseError
from judge.models import Base, Submission, User


def at(path: Path) -> Database:
    return Database(f"sqlite:///{path}")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    opened = at(tmp_path / "data" / "judge.sqlite3")
    opened.upgrade()
    return opened


def test_the_first_start_makes_folder_and_tables(database: Database) -> None:
    assert database.revision() == db.REVISION
    with database.write() as session:
        session.add(User(name="local", role="admin"))
    with database.read() as session:
        assert session.scalars(select(User.name)).all() == ["local"]


def test_the_newest_migration_is_the_one_the_program_asks_for() -> None:
    config = AlembicConfig()
    config.set_main_option("script_location", str(Path(db.__file__).with_name("migrations")))
    assert ScriptDirectory.from_config(config).get_current_head() == db.REVISION


def test_migrations_and_models_describe_the_same_tables(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_a_percent_sign_in_the_path_is_only_a_character(tmp_path: Path) -> None:
    database = at(tmp_path / "100%s" / "judge.sqlite3")
    database.upgrade()
    assert database.revision() == db.REVISION


def test_two_programs_that_start_together_migrate_once(tmp_path: Path) -> None:
    faults: list[Exception] = []

    def start() -> None:
        try:
            at(tmp_path / "judge.sqlite3").upgrade()
        except DatabaseError as error:
            faults.append(error)

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []
    assert at(tmp_path / "judge.sqlite3").revision() == db.REVISION


def test_a_database_of_a_newer_program_is_refused_and_left_alone(database: Database) -> None:
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError) as refused:
        database.upgrade()
    assert refused.value.key == "database-newer"
    assert database.revision() == "9999"


def test_a_file_that_is_no_database_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "judge.sqlite3").write_bytes(b"not a database, but long enough to be looked at as one" * 40)
    with pytest.raises(DatabaseError) as refused:
        at(tmp_path / "judge.sqlite3").upgrade()
    assert str(tmp_path / "judge.sqlite3") in refused.value.line("en")
    assert "\n" not in refused.value.line("zh")


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DatabaseError, match="JUDGE_DATA"):
        at(tmp_path / "file" / "judge.sqlite3").upgrade()


def test_a_database_that_can_only_be_read_is_noticed_before_the_work(database: Database) -> None:
    database.check_writable()
    read_only = Database(f"sqlite:///file:{database.engine.url.database}?mode=ro&uri=true")
    with pytest.raises(DatabaseError, match="readonly"):
        read_only.check_writable()


def test_an_address_that_names_no_database_is_told() -> None:
    for url in ("nonsense", "nosuchdb://x/y"):
        with pytest.raises(DatabaseError, match="JUDGE_DATABASE_URL"):
            Database(url)


def test_foreign_keys_hold(database: Database) -> None:
    orphan = Submission(user_id=99, slug="s", number=1, mode="run", source=b"")
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(orphan)


def test_an_exception_in_a_transaction_stores_nothing(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as session:
        session.add(User(name="half", role="learner"))
        session.flush()
        _ = 1 / 0
    with database.read() as session:
        assert session.scalars(select(User)).all() == []


def test_moments_keep_their_zone_whatever_zone_they_came_in(database: Database) -> None:
    shanghai = timezone(timedelta(hours=8))
    with database.write() as session:
        session.add(User(name="a", role="learner", created_at=datetime(2026, 1, 2, 3, tzinfo=shanghai)))
    with database.read() as session:
        found = session.scalars(select(User.created_at)).one()
    assert found == datetime(2026, 1, 1, 19, tzinfo=UTC)
    assert found.tzinfo == UTC


def test_a_reader_is_not_stopped_by_a_writer(database: Database) -> None:
    with database.write() as writer:
        writer.add(User(name="new", role="learner"))
        writer.flush()
        with database.read() as reader:
            assert reader.scalars(select(User)).all() == []


def test_the_file_uses_a_write_ahead_log(database: Database) -> None:
    path = database.engine.url.database
    assert path is not None
    with sqlite3.connect(path) as plain:
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_connections_that_are_all_in_use_are_a_line_and_no_traceback(database: Database) -> None:
    pool: Any = database.engine.pool
    pool._timeout = 0.05
    with ExitStack() as stack:
        for _ in range(pool.size() + pool._max_overflow):
            stack.enter_context(database.engine.connect())
        with pytest.raises(DatabaseError) as refused, database.read() as session:
            session.execute(text("SELECT 1"))
        assert "all connections are in use" in refused.value.line("en")
    with database.read() as session:
        assert session.scalar(text("SELECT 1")) == 1
