"""Puts a backup in the place of the database, which is kept aside, while no server and nothing else uses it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from judge.backup import BackupError, backup_folder, copy_database, free_name, make_folder, own_like
from judge.db import REVISION, DatabaseError
from judge.lines import UserError
from judge.lock import DataInUse, DataLock
from judge.migrate import known_revisions

SIDECARS = ("-wal", "-shm", "-journal")
MAGIC = b"SQLite format 3\0"
BUSY_S = 2.0


@dataclass(frozen=True)
class Restored:
    """What was done: the revision of the database now in place, and where the replaced one lies (None: there was none)."""

    revision: str
    replaced: Path | None


def restore(data: Path, database: Path, source: Path) -> Restored:
    """Replace ``database`` by a copy of ``source`` and keep the replaced file; ``source`` stays as it is.

    Raises UserError, and then nothing was changed: a server holds ``data``, a program uses the database, ``source``
    is missing, damaged, no database of the judge's or one of a newer version.
    """
    _check_source(source, database)
    with _locked(data):
        make_folder(database.parent)
        fresh = free_name(database.parent, f".restoring-{os.getpid()}")
        try:
            _copy(source, fresh)
            revision = _revision(fresh, source)
            replaced = _exchange(database, fresh)
        except OSError as error:
            raise BackupError("restore", place=database, why=error.strerror or error) from error
        finally:
            fresh.unlink(missing_ok=True)
    return Restored(revision, replaced)


def _check_source(source: Path, database: Path) -> None:
    if not source.is_file():
        raise UserError("restore-no-file", path=source)
    if database.exists() and source.samefile(database):
        raise UserError("restore-same", path=source)


@contextmanager
def _locked(data: Path) -> Iterator[None]:
    lock = DataLock(data)
    try:
        lock.acquire("judge db restore")
    except DataInUse as error:
        raise DataInUse("restore-in-use", **error.values) from error
    try:
        yield
    finally:
        lock.release()


def _copy(source: Path, fresh: Path) -> None:
    try:
        copy_database(source, fresh, _reading(source))
    except BackupError as error:
        why = error.__cause__
        if isinstance(why, sqlite3.DatabaseError) and not isinstance(why, sqlite3.OperationalError):
            raise BackupError("restore-foreign", path=source) from error
        raise


def _reading(source: Path) -> str:
    """How to open ``source``: where no log lies beside it nobody writes it, and none must be left there."""
    logs = [Path(f"{source}{suffix}") for suffix in SIDECARS]
    return "mode=ro" if any(log.exists() for log in logs) else "mode=ro&immutable=1"


def _revision(copy: Path, source: Path) -> str:
    """The revision of the copy; an error that names ``source`` where it is none of ours, or a newer program's."""
    try:
        with closing(sqlite3.connect(copy)) as opened:
            found = str(opened.execute("SELECT version_num FROM alembic_version").fetchone()[0])
            opened.execute("SELECT id FROM submissions LIMIT 1").fetchone()
    except (sqlite3.Error, TypeError) as error:
        raise BackupError("restore-foreign", path=source) from error
    if found not in known_revisions():
        raise DatabaseError("restore-newer", path=source, found=found, known=REVISION)
    return found


def _exchange(database: Path, fresh: Path) -> Path | None:
    """Move ``database`` aside and ``fresh`` into its place; returns where the old one is."""
    if not database.exists():
        own_like(fresh, database.parent)
        fresh.rename(database)
        return None
    _quiet(database)
    own_like(fresh, database)
    fresh.chmod(database.stat().st_mode & 0o777)
    aside = free_name(make_folder(backup_folder(database)), "replaced")
    _move(database, aside)
    try:
        fresh.rename(database)
    except OSError:
        _move(aside, database)
        raise
    return aside


def _quiet(database: Path) -> None:
    """Fold the log into the file, which only the last one that uses it can do; a damaged file is moved as it is."""
    with database.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return  # SQLite would take its log away, and somebody may want to save what is in it
    try:
        with closing(sqlite3.connect(database, timeout=BUSY_S)) as old:
            old.execute("PRAGMA journal_mode=DELETE").fetchone()
    except sqlite3.Error as error:
        if error.sqlite_errorcode in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise BackupError("restore-busy", place=database) from error


def _move(old: Path, new: Path) -> None:
    for suffix in (*SIDECARS, ""):
        if (part := Path(f"{old}{suffix}")).exists():
            part.rename(f"{new}{suffix}")
