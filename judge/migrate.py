"""Brings a database up to this program: backed up first, in one transaction, or not at all."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from judge import backup, db

LOG = logging.getLogger(__name__)
MIGRATIONS = Path(__file__).with_name("migrations")


def known_revisions() -> set[str]:
    """The revisions that this program can migrate from, and its own."""
    return {script.revision for script in ScriptDirectory.from_config(_alembic()).walk_revisions()}


def migrate(connection: Connection, place: str, path: Path | None) -> Path | None:
    """Migrate within one transaction, which keeps other writers out; returns the backup of the file ``path``.

    Raises UserError: a database of a newer program, or one that cannot be backed up. Then nothing was changed.
    """
    saved: Path | None = None
    with _without_foreign_keys(connection):
        try:
            with connection.begin():
                found = db.revision_of(connection)
                if found is not None and found not in known_revisions():
                    raise db.DatabaseError("database-newer", place=place, found=found, known=db.REVISION)
                if path is not None and found not in (None, db.REVISION):
                    saved = backup.before_migration(path, str(found))
                _upgrade(connection)
                _check_foreign_keys(connection, place)
        except BaseException:
            # Nothing was migrated, and a start tried again and again must not fill the disk.
            if saved is not None:
                saved.unlink(missing_ok=True)
            raise
    if saved is not None:
        backup.keep_newest(saved.parent)
        LOG.info("migrated %s from %s to %s; the backup made first: %s", place, found, db.REVISION, saved)
    return saved


def _alembic() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def _upgrade(connection: Connection) -> None:
    config = _alembic()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


@contextmanager
def _without_foreign_keys(connection: Connection) -> Iterator[None]:
    """SQLite changes a table by copying and dropping it; with foreign keys on, dropping deletes what refers to it.

    The setting is ignored within a transaction, so it is made outside of one.
    """
    if connection.dialect.name != "sqlite":
        yield
        return
    driver: Any = connection.connection.driver_connection
    driver.execute("PRAGMA foreign_keys=OFF")
    try:
        yield
    finally:
        driver.execute("PRAGMA foreign_keys=ON")


def _check_foreign_keys(connection: Connection, place: str) -> None:
    if connection.dialect.name != "sqlite":
        return
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken is not None:
        raise db.DatabaseError("database-orphans", place=place, table=broken[0])
