"""`judge db`: where the database is and what it stands at; upgrade, backup and restore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from judge.cli.context import Context, shown_path
from judge.lines import UserError, judge_command, line

if TYPE_CHECKING:
    from judge.db import Database

ACTIONS = ("status", "path", "upgrade", "backup", "restore")


def db(context: Context) -> int:
    """Do the action asked for; ``status`` where none is."""
    from judge.db import Database

    action, file = context.args.action, context.args.file
    _check_usage(context, action, file)
    if action in ("backup", "restore"):
        _refuse_postgresql(context.config.database_url)
    database = Database(context.config.database_url)
    path = None if file is None else Path(file).expanduser().absolute()
    if action == "path":
        context.out.print(database.place)
    elif action == "backup":
        _backup(context, database, path)
    elif action == "restore" and path is not None:
        _restore(context, database, path)
    else:
        _status(context, database, action == "upgrade")
    return 0


def _check_usage(context: Context, action: str, file: str | None) -> None:
    if action == "restore" and file is None:
        why = line("usage.missing", context.lang, names="FILE")
    elif file is not None and action not in ("backup", "restore"):
        why = line("usage.unknown", context.lang, names=file)
    else:
        return
    raise UserError("usage", command=f"{judge_command()} db {action}", why=why)


def _status(context: Context, database: Database, upgrade: bool) -> None:
    from judge.db import REVISION

    saved = database.upgrade() if upgrade else None
    if saved is not None:
        context.say("backed-up", path=shown_path(saved))
    context.say("database", place=database.place, found=database.revision() or "-", known=REVISION)


def _backup(context: Context, database: Database, target: Path | None) -> None:
    from judge.backup import back_up

    context.say("backed-up", path=shown_path(back_up(_file_of(database), target)))


def _restore(context: Context, database: Database, source: Path) -> None:
    from judge.db import REVISION
    from judge.restore import restore

    done = restore(context.config.data, _file_of(database), source)
    context.say("restored", path=shown_path(source), place=database.place, revision=done.revision)
    if done.replaced is not None:
        context.say("replaced", path=shown_path(done.replaced))
    if done.revision != REVISION:
        context.say("restored-older", known=REVISION)


def _refuse_postgresql(url: str) -> None:
    """UserError that names the tool for it, whether or not its driver is here."""
    from judge.db import without_password

    if url.startswith("postgres"):
        raise UserError("backup-postgresql", place=without_password(url))


def _file_of(database: Database) -> Path:
    if database.path is None:
        raise UserError("backup-other", place=database.place)
    return database.path
