"""Copies of the SQLite database: made while others read and write it, checked, and there whole or not at all."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from judge.lines import UserError
from judge.models import now

KEPT = 5  # backups made before migrations; those that somebody asked for are never taken away
BUSY_S = 10.0
_MIGRATION = "before-migration-"


class BackupError(UserError):
    """A copy that could not be made, or a file that is no copy of a database of ours."""

    status = 3


def backup_folder(database: Path) -> Path:
    """Where backups of ``database`` lie: ``backups`` in its own folder, ``<data>/backups`` as a rule."""
    return database.parent / "backups"


def back_up(database: Path, target: Path | None = None) -> Path:
    """Copy ``database`` to ``target``, into it where it is a folder, or among the backups; returns the copy.

    Raises BackupError: no database yet, a file that is there already, no place to write.
    """
    if not database.exists():
        raise BackupError("backup-nothing", place=database)
    if target is None:
        target = free_name(make_folder(backup_folder(database)), database.stem)
    elif target.is_dir():
        target = free_name(target, database.stem)
    copy_database(database, target)
    return target


def before_migration(database: Path, found: str) -> Path:
    """Copy a database of revision ``found`` that is about to be migrated; BackupError when it cannot be copied."""
    target = free_name(make_folder(backup_folder(database)), f"{_MIGRATION}of-{found}")
    copy_database(database, target)
    return target


def keep_newest(folder: Path) -> None:
    """Take away all but the newest `KEPT` backups made before migrations."""
    made = sorted(
        folder.glob(f"{_MIGRATION}*.sqlite3"), key=lambda path: (path.stat().st_mtime_ns, path.name)
    )
    for path in made[:-KEPT]:
        path.unlink(missing_ok=True)


def copy_database(source: Path, target: Path, mode: str = "mode=rw") -> None:
    """Copy ``source`` as it is at one moment to the new file ``target``, readable by its owner alone.

    ``mode`` says how ``source`` is opened: as SQLite's addresses have it. Raises BackupError: ``target`` is there
    already, or either cannot be used, or the copy is damaged.
    """
    if target.exists():
        raise BackupError("backup-exists", path=target)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(_address(source, mode), uri=True, timeout=BUSY_S)) as old:
            _copy(old, part)
        part.rename(target)
    except (OSError, sqlite3.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BackupError("backup", source=source, target=target, why=why or error) from error
    finally:
        part.unlink(missing_ok=True)


def make_folder(folder: Path) -> Path:
    """``folder``, made where it is missing and then owned like the one around it; BackupError when it cannot be."""
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, mode=0o700)
            own_like(folder, folder.parent)
    except OSError as error:
        raise BackupError("data-folder", path=folder, why=error.strerror or error) from error
    return folder


def own_like(path: Path, model: Path) -> None:
    """Give ``path`` the owner of ``model``, where root does what a server under another name must read."""
    if os.geteuid() == 0:
        stat = model.stat()
        os.chown(path, stat.st_uid, stat.st_gid)


def free_name(folder: Path, stem: str) -> Path:
    """A name in ``folder`` that nothing bears yet: ``stem`` and the present moment (UTC)."""
    stem = f"{stem}-{now():%Y%m%dT%H%M%SZ}"
    target, number = folder / f"{stem}.sqlite3", 2
    while target.exists():
        target, number = folder / f"{stem}-{number}.sqlite3", number + 1
    return target


def _address(source: Path, mode: str) -> str:
    return f"file:{quote(str(source.absolute()))}?{mode}"


def _copy(old: sqlite3.Connection, part: Path) -> None:
    with closing(sqlite3.connect(part)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode=DELETE")  # one file, that any program can open from any place
        found = new.execute("PRAGMA quick_check").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(found)
    with part.open("rb+") as written:
        os.fsync(written.fileno())
