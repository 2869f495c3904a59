"""`judge user add|import|reset|suspend|role|list`: who may log in. A one-time code is shown once, here, and stored as a hash."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from judge.cli.context import Context, shown_path
from judge.cli.terminal import table
from judge.lines import UserError, judge_command, line
from judge.roles import ALLOWED, Role, find_role

if TYPE_CHECKING:
    from judge.users import Person

ACTIONS = ("add", "import", "reset", "suspend", "role", "list")


def user(context: Context) -> int:
    """Run the action named; UserError for what it lacks."""
    runs = {
        "add": add,
        "import": import_list,
        "reset": reset,
        "suspend": suspend,
        "role": role,
        "list": show,
    }
    action = context.args.action
    if action != "list" and not context.args.who:
        _usage(context, "CSV" if action == "import" else "NAME")
    return runs[action](context)


def add(context: Context) -> int:
    """Make one user and tell the code."""
    from judge.passwords import hash_code, new_code
    from judge.users import Person, add_user, clean_full_name, clean_name

    given = Person(
        clean_name(context.args.who), clean_full_name(context.args.full_name), _role(context, "learner")
    )
    code = new_code()
    with _codes_file(context) as file:
        with context.database.write() as session:
            add_user(session, given, hash_code(code))
        context.say("user-added", name=given.name, role=context.text(f"role-{given.role}"))
        file.write([(given, code)])
    return 0


def import_list(context: Context) -> int:
    """Add everybody of a class list who is new, update the names of the others; all or nobody."""
    from judge.passwords import hash_code, new_code
    from judge.roster import read_roster
    from judge.users import import_people

    people = read_roster(_read(Path(context.args.who)))
    codes = [new_code() for _ in people]
    with _codes_file(context) as file:
        with context.database.write() as session:
            added, renamed = import_people(session, people, [hash_code(code) for code in codes])
        context.say(
            "users-imported", added=len(added), renamed=renamed, same=len(people) - len(added) - renamed
        )
        file.write([(people[place], codes[place]) for place in added])
    return 0


def reset(context: Context) -> int:
    """Take a user's password away and tell a new code."""
    from judge.passwords import hash_code, new_code
    from judge.users import Person, reset_user

    code = new_code()
    with _codes_file(context) as file:
        with context.database.write() as session:
            found = reset_user(session, context.args.who, hash_code(code))
        context.say("user-reset", name=found.name)
        file.write([(Person(found.name, found.full_name), code)])
    return 0


def suspend(context: Context) -> int:
    """Let a user log in no more, until the next reset."""
    from judge.users import suspend_user

    with context.database.write() as session:
        found = suspend_user(session, context.args.who)
    context.say("user-suspended", name=found.name)
    return 0


def role(context: Context) -> int:
    """Give a user another role."""
    from judge.users import change_role

    if not context.args.new_role:
        _usage(context, "ROLE")
    with context.database.write() as session:
        found = change_role(session, context.args.who, _role(context, "learner"))
    context.say("user-role", name=found.name, role=context.text(f"role-{found.role}"))
    return 0


def show(context: Context) -> int:
    """Everybody with role and whether they chose a password yet."""
    from sqlalchemy import select

    from judge.models import User

    with context.database.read() as session:
        found = session.scalars(select(User).order_by(User.name)).all()
    rows = [[context.text(f"head-{name}") for name in ("user", "full-name", "role", "password")]]
    for one in found:
        state = "chosen" if one.password_hash else "code" if one.code_hash else "none"
        rows.append(
            [one.name, one.full_name, context.text(f"role-{one.role}"), context.text(f"password-{state}")]
        )
    head, *body = table(rows)
    context.out.print(context.out.style(head, "bold"))
    for row in body:
        context.out.print(row)
    return 0


class _Codes:
    """Where one-time codes go: a new file that only its owner can read, or the terminal."""

    def __init__(self, context: Context, path: Path | None) -> None:
        self._context, self._path = context, path

    def __enter__(self) -> _Codes:
        """Make the file before anything is stored: codes that cannot be written down are lost."""
        if self._path is None:
            return self
        try:
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError as error:
            raise UserError("codes-there", path=self._path) from error
        except OSError as error:
            raise UserError("codes-file", path=self._path, why=error.strerror or error) from error
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._path is not None and kind is not None:
            self._path.unlink(missing_ok=True)

    def write(self, codes: Sequence[tuple[Person, str]]) -> None:
        """Tell the codes, once."""
        if not codes:
            if self._path is not None:
                self._path.unlink()
            return
        heads = [self._context.text(f"head-{name}") for name in ("user", "full-name", "code")]
        rows = [heads, *([given.name, given.full_name, code] for given, code in codes)]
        if self._path is None:
            for text in table(rows):
                self._context.out.print(text)
            self._context.note("codes-once")
            return
        from judge.sheets import as_csv

        self._path.write_bytes(as_csv(rows))
        self._context.say("codes-written", path=shown_path(self._path.absolute()))


def _codes_file(context: Context) -> _Codes:
    return _Codes(context, Path(context.args.codes) if context.args.codes else None)


def _read(path: Path) -> bytes:
    """A class list, from standard input for ``-``: into a container no file comes as easily."""
    from judge.roster import LARGEST_BYTES

    if str(path) == "-":
        return sys.stdin.buffer.read(LARGEST_BYTES + 1)
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise UserError("file", path=path, why=error.strerror or error) from error


def _role(context: Context, default: Role) -> Role:
    wanted = context.args.new_role or default
    found = find_role(wanted)
    if found is None:
        raise UserError("user-role", role=wanted, allowed=ALLOWED)
    return found


def _usage(context: Context, missing: str) -> NoReturn:
    why = line("usage.missing", context.lang, names=missing)
    raise UserError("usage", command=f"{judge_command()} user {context.args.action}", why=why)
