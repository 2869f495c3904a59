"""The database: engine, sessions, and the migrations that bring it up to this program at start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Executable, Row, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from judge import mounts
from judge.lines import UserError

REVISION = "0004"  # the newest migration; a test compares it with judge/migrations


class DatabaseError(UserError):
    """The database cannot be used: where it is, why not, what to do."""

    status = 3


class Database:
    """One engine and its sessions. Safe to share between threads."""

    def __init__(self, url: str) -> None:
        """Nothing is opened yet; raises DatabaseError for an address that cannot mean a database."""
        try:
            self.engine = create_engine(url)
        except (ArgumentError, NoSuchModuleError, ImportError) as error:
            raise DatabaseError("database-url", url=without_password(url)) from error
        self.place = self.engine.url.render_as_string(hide_password=True)
        if self.engine.dialect.name == "sqlite":
            self.place = self.engine.url.database or ":memory:"
            _set_up_sqlite(self.engine)
        self._writer = self.engine.execution_options(write=True)

    @property
    def path(self) -> Path | None:
        """The file of an SQLite database; None for another engine, one in memory, or one named by a URI."""
        place = self.engine.url.database if self.engine.dialect.name == "sqlite" else None
        return Path(place) if place and place != ":memory:" and not place.startswith("file:") else None

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session for reading only; what it loaded stays usable after it."""
        with self._told(), Session(self.engine, expire_on_commit=False) as session:
            yield session

    def row(self, statement: Executable, values: dict[str, Any]) -> Row[Any] | None:
        """The first row of a statement that is asked with every request: without a session, which costs as much again."""
        with self._told(), self.engine.connect() as connection:
            return connection.execute(statement, values).first()

    @contextmanager
    def write(self) -> Iterator[Session]:
        """One transaction: committed at the end, rolled back by an exception."""
        with self._told(), Session(self._writer, expire_on_commit=False) as session, session.begin():
            yield session

    def revision(self) -> str | None:
        """The migration the database stands at, None for one that is empty or not there yet."""
        if self.path is not None:
            if not self.path.exists():
                return None
            _refuse_network(self.path)
        with self._told(), self.engine.connect() as connection:
            return revision_of(connection)

    def upgrade(self) -> Path | None:
        """Create or migrate the database to this program's revision; returns the backup made before a migration.

        Raises UserError: a database of a newer program, a file system that cannot hold one, no room for the backup.
        """
        if self.path is not None:
            _make_folder(self.path.parent)
            _refuse_network(self.path)
        if self.revision() == REVISION:
            return None
        from judge.migrate import migrate

        with self._told(), self._writer.connect() as connection:
            return migrate(connection, self.place, self.path)

    def check_writable(self) -> None:
        """Raise DatabaseError now rather than after the work, when nothing can be stored."""
        with self._told(), self._writer.begin() as connection:
            connection.execute(text("UPDATE users SET name = name WHERE id = -1"))

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn the driver's complaints about the place itself into one line; a broken rule of ours passes through."""
        try:
            yield
        except PoolTimeout as error:
            raise DatabaseError("database", place=self.place, why="all connections are in use") from error
        except DBAPIError as error:
            if type(error).__name__ in ("IntegrityError", "ProgrammingError", "DataError"):
                raise
            why = str(error.orig).splitlines()[0] if str(error.orig) else type(error.orig).__name__
            raise DatabaseError("database", place=self.place, why=why) from error


def _refuse_network(path: Path) -> None:
    kind = mounts.filesystem(path)
    if mounts.is_network(kind):
        raise DatabaseError("database-network", place=path, kind=kind)


def without_password(url: str) -> str:
    """A database's address as it may be shown."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return url


def revision_of(connection: Connection) -> str | None:
    """The migration that the connection's database stands at, None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatabaseError("data-folder", path=folder, why=error.strerror or error) from error


def _set_up_sqlite(engine: Engine) -> None:
    """Write-ahead log, waiting instead of failing, real foreign keys, and transactions that begin when we say so."""

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # the driver would begin late and never before a schema change
        for pragma in ("busy_timeout=10000", "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        # A transaction that reads and then writes must hold the write lock from its start, or it can fail at once.
        write = connection.get_execution_options().get("write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
