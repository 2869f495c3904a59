from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select, text

from judge import backup, db
from judge.backup import BackupError, back_up
from judge.db import Database, DatabaseError
from judge.lines import UserError
from judge.lock import DataInUse, DataLock
from judge.models import Submission, User
from judge.restore import restore

NextRelease = Callable[..., str]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "judge.sqlite3"


@pytest.fixture
def database(path: Path) -> Database:
    opened = Database(f"sqlite:///{path}")
    opened.upgrade()
    with opened.write() as session:
        session.add(User(id=1, name="local", role="admin"))
    return opened


def add(database: Database, source: bytes) -> None:
    with database.write() as session:
        session.add(Submission(user_id=1, slug="s", number=1, mode="submit", source=source))


def sources(path: Path) -> list[bytes]:
    with closing(sqlite3.connect(path)) as opened:
        return [row[0] for row in opened.execute("SELECT source FROM submissions ORDER BY id")]


def revision(path: Path) -> str:
    with closing(sqlite3.connect(path)) as opened:
        return str(opened.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def backups(path: Path) -> list[Path]:
    return sorted((path.parent / "backups").glob("*"))


def test_a_backup_holds_what_was_committed_and_is_one_closed_file(database: Database, path: Path) -> None:
    add(database, b"kept")
    copy = back_up(path)
    add(database, b"later")
    assert copy.parent == path.parent / "backups"
    assert sources(copy) == [b"kept"]
    assert backups(path) == [copy]  # and no log beside it
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_a_backup_made_while_others_write_is_whole(database: Database, path: Path, tmp_path: Path) -> None:
    stop = threading.Event()
    written = 0

    def write() -> None:
        nonlocal written
        while not stop.is_set():
            add(database, b"%d" % written)
            written += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        copies = [back_up(path, tmp_path / f"copy-{number}.sqlite3") for number in range(5)]
    finally:
        stop.set()
        writer.join(30)
    seen = [sources(copy) for copy in copies]
    assert all(found == [b"%d" % number for number in range(len(found))] for found in seen)
    assert len(seen[0]) <= len(seen[-1]) <= written


def test_an_open_transaction_neither_stops_a_backup_nor_gets_into_it(database: Database, path: Path) -> None:
    with database.write() as session:
        session.add(Submission(user_id=1, slug="s", number=1, mode="run", source=b"half"))
        session.flush()
        assert sources(back_up(path)) == []


def test_a_file_that_is_there_is_never_overwritten(database: Database, path: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(BackupError, match="already"):
        back_up(path, tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == "precious"


def test_a_folder_gets_a_new_file_each_time(database: Database, path: Path, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    first, second = back_up(path, tmp_path / "disk"), back_up(path, tmp_path / "disk")
    assert first != second
    assert sorted((tmp_path / "disk").iterdir()) == sorted([first, second])


def test_what_cannot_be_copied_is_told_and_leaves_nothing(path: Path, tmp_path: Path) -> None:
    with pytest.raises(BackupError) as missing:
        back_up(path)
    assert missing.value.key == "backup-nothing"
    path.parent.mkdir()
    path.write_bytes(b"no database at all, but long enough to be looked at as one" * 50)
    for target in (tmp_path / "copy.sqlite3", tmp_path / "no-such-folder" / "copy.sqlite3"):
        with pytest.raises(BackupError) as refused:
            back_up(path, target)
        assert str(target) in refused.value.line("zh") and "\n" not in refused.value.line("zh")
    assert sorted(tmp_path.iterdir()) == [path.parent]


def test_a_migration_backs_up_first_and_keeps_every_row(
    database: Database, path: Path, next_release: NextRelease
) -> None:
    add(database, b"kept")
    before = db.REVISION
    after = next_release()
    saved = database.upgrade()
    assert (database.revision(), sources(path)) == (after, [b"kept"])
    assert saved is not None and backups(path) == [saved]
    assert sources(saved) == [b"kept"]
    assert revision(saved) == before
    with database.read() as session:
        assert session.execute(text("PRAGMA foreign_keys")).scalar() == 1
    assert database.upgrade() is None
    assert backups(path) == [saved]


def test_only_the_newest_five_of_migrations_are_kept_and_no_other_backup_is_touched(
    database: Database, path: Path, next_release: NextRelease
) -> None:
    asked_for = back_up(path)
    old = [asked_for.with_name(f"before-migration-of-000{number}.sqlite3") for number in range(7)]
    for age, file in enumerate(old):
        file.touch()
        os.utime(file, (1_000_000 + age, 1_000_000 + age))
    next_release()
    saved = database.upgrade()
    assert saved is not None
    assert backups(path) == sorted([asked_for, saved, *old[-4:]])


def test_a_migration_that_fails_changes_nothing_and_piles_up_no_backups(
    database: Database, path: Path, next_release: NextRelease
) -> None:
    add(database, b"kept")
    before = db.REVISION
    next_release("raise ArithmeticError")
    for _ in range(2):
        with pytest.raises(ArithmeticError):
            database.upgrade()
    assert (database.revision(), sources(path), backups(path)) == (before, [b"kept"], [])
    add(database, b"still works")


def test_a_migration_that_would_leave_orphans_is_undone(
    database: Database, path: Path, next_release: NextRelease
) -> None:
    add(database, b"kept")
    next_release('op.execute("DELETE FROM users")')
    with pytest.raises(DatabaseError) as refused:
        database.upgrade()
    assert (refused.value.key, refused.value.values["table"]) == ("database-orphans", "submissions")
    with database.read() as session:
        assert session.scalars(select(User.name)).all() == ["local"]


def test_without_a_backup_there_is_no_migration(
    database: Database, path: Path, next_release: NextRelease
) -> None:
    before = db.REVISION
    (path.parent / "backups").write_text("in the way")
    next_release()
    with pytest.raises(UserError):
        database.upgrade()
    assert database.revision() == before


def test_two_programs_that_start_together_back_up_once(
    database: Database, path: Path, next_release: NextRelease
) -> None:
    next_release()
    faults: list[Exception] = []

    def start() -> None:
        try:
            Database(f"sqlite:///{path}").upgrade()
        except UserError as error:
            faults.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (faults, len(backups(path)), database.revision()) == ([], 1, "0999")


def test_a_restore_brings_the_backup_back_and_keeps_what_it_replaced(database: Database, path: Path) -> None:
    add(database, b"first")
    copy = back_up(path)
    add(database, b"second")
    database.close()
    done = restore(path.parent, path, copy)
    assert done.revision == db.REVISION
    assert sources(path) == [b"first"]
    assert done.replaced is not None and sources(done.replaced) == [b"first", b"second"]
    assert sources(copy) == [b"first"]
    assert backups(path) == sorted([copy, done.replaced])
    add(database, b"goes on")
    assert sources(path) == [b"first", b"goes on"]


def test_a_restore_needs_no_database_to_be_there(database: Database, path: Path, tmp_path: Path) -> None:
    add(database, b"kept")
    copy = back_up(path, tmp_path / "copy.sqlite3")
    elsewhere = tmp_path / "new machine" / "judge.sqlite3"
    assert restore(elsewhere.parent, elsewhere, copy).replaced is None
    assert sources(elsewhere) == [b"kept"]


def test_a_restore_is_refused_while_a_server_holds_the_folder(database: Database, path: Path) -> None:
    copy = back_up(path)
    add(database, b"newer")
    database.close()
    lock = DataLock(path.parent)
    lock.acquire("http://127.0.0.1:8000")
    try:
        with pytest.raises(DataInUse) as refused:
            restore(path.parent, path, copy)
    finally:
        lock.release()
    for lang in ("zh", "en"):
        assert "http://127.0.0.1:8000" in refused.value.line(lang)
    assert sources(path) == [b"newer"]
    restore(path.parent, path, copy)
    assert sources(path) == []


def test_a_restore_is_refused_while_another_program_uses_the_database(
    database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.restore.BUSY_S", 0.05)
    copy = back_up(path)
    add(database, b"newer")
    with pytest.raises(BackupError) as refused:
        restore(path.parent, path, copy)
    assert refused.value.key == "restore-busy"
    assert sources(path) == [b"newer"]
    assert [one for one in path.parent.iterdir() if "restoring" in one.name] == []


def test_a_damaged_database_is_replaced_too_and_kept_as_it_is(database: Database, path: Path) -> None:
    copy = back_up(path)
    database.close()
    wreck = b"this was a database once" * 100
    path.write_bytes(wreck)
    Path(f"{path}-wal").write_bytes(b"its log")
    done = restore(path.parent, path, copy)
    assert sources(path) == []
    assert done.replaced is not None and done.replaced.read_bytes() == wreck
    assert Path(f"{done.replaced}-wal").read_bytes() == b"its log"
    assert not Path(f"{path}-wal").exists()


def test_what_is_no_backup_is_refused_and_the_database_stays(
    database: Database, path: Path, tmp_path: Path
) -> None:
    add(database, b"kept")
    database.close()
    (tmp_path / "text").write_text("no database at all, but long enough to be looked at as one" * 50)
    with closing(sqlite3.connect(tmp_path / "foreign")) as foreign:
        foreign.execute("CREATE TABLE t (a)")
    torn = tmp_path / "torn"
    torn.write_bytes(back_up(path).read_bytes()[:6000])
    keys = {}
    for source in (tmp_path / "text", tmp_path / "foreign", torn, tmp_path / "missing", path):
        with pytest.raises(UserError) as refused:
            restore(path.parent, path, source)
        keys[source.name] = refused.value.key
        assert str(source) in refused.value.line("zh") and "\n" not in refused.value.line("zh")
    assert keys == {
        "text": "restore-foreign",
        "foreign": "restore-foreign",
        "torn": "restore-foreign",
        "missing": "restore-no-file",
        "judge.sqlite3": "restore-same",
    }
    assert sources(path) == [b"kept"]


def test_a_backup_of_a_newer_program_is_refused(database: Database, path: Path, tmp_path: Path) -> None:
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    copy = back_up(path)
    with pytest.raises(DatabaseError) as refused:
        restore(tmp_path / "other", tmp_path / "other" / "judge.sqlite3", copy)
    assert refused.value.key == "restore-newer" and "9999" in refused.value.line("en")
    assert not (tmp_path / "other" / "judge.sqlite3").exists()


def test_a_backup_of_an_older_program_is_migrated_at_the_next_start(
    database: Database, path: Path, next_release: NextRelease
) -> None:
    add(database, b"old")
    copy, before = back_up(path), db.REVISION
    next_release()
    database.upgrade()
    database.close()
    assert restore(path.parent, path, copy).revision == before != db.REVISION
    database.upgrade()
    assert (database.revision(), sources(path)) == ("0999", [b"old"])


def test_backups_of_one_moment_get_names_of_their_own(tmp_path: Path) -> None:
    names = set()
    for _ in range(3):
        target = backup.free_name(tmp_path, "judge")
        target.touch()
        names.add(target)
    assert len(names) == 3
