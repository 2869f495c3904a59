"""Who submits. Without accounts there is one user, made at the first start and handed to the first admin later."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from judge import drafts, openings
from judge.db import Database
from judge.lines import UserError
from judge.models import Login, Submission, User
from judge.roles import Role

LOCAL = "local"
NAME = re.compile(r"[\w.@+-]{1,80}")
FULL_NAME_LONGEST = 80


class BadUser(UserError):
    """A name or role that cannot be used, or that nobody has."""


@dataclass(frozen=True)
class Reader:
    """Somebody who is logged in, and what they may see."""

    id: int
    name: str
    full_name: str
    role: str
    must_choose: bool  # came by a one-time code and has no password yet

    @property
    def teaches(self) -> bool:
        """Whether everybody's work may be seen, at level ``full``."""
        return self.role in ("instructor", "admin")


@dataclass(frozen=True)
class Person:
    """One line of a class list."""

    name: str
    full_name: str = ""
    role: Role = "learner"


def local_user(database: Database, accounts: bool = False) -> int:
    """Whose work is done where nobody logs in: the only user's, with accounts the first admin's.

    Makes the local user where there is nobody. BadUser when there are several and no accounts.
    """
    known = _ids_and_roles(database)
    if not any(role == "admin" for _, role in known) if accounts else not known:
        with (
            suppress(IntegrityError),
            database.write() as session,
        ):  # another program may make it at this moment
            session.add(User(name=LOCAL, role="admin"))
        known = _ids_and_roles(database)
    if len(known) > 1 and not accounts:
        raise BadUser("several-users", count=len(known))
    return next((user_id for user_id, role in known if role == "admin"), known[0][0])


def find_user(session: Session, name: str) -> User | None:
    """The user of a name, small and capital letters being the same."""
    same = or_(User.name == name, func.lower(User.name) == _lower(name))
    return session.scalars(select(User).where(same)).first()


def get_user(session: Session, name: str) -> User:
    """The user of a name; BadUser where there is none."""
    user = find_user(session, clean_name(name))
    if user is None:
        raise BadUser("no-user", name=name)
    return user


def add_user(session: Session, person: Person, code_hash: str) -> User:
    """Make a user who logs in with a one-time code; the first admin takes over the local user's work."""
    if find_user(session, person.name) is not None:
        raise BadUser("user-taken", name=person.name)
    user = _local(session) if person.role == "admin" else None
    user = user or User(name=person.name)
    user.name, user.full_name, user.role = person.name, person.full_name, person.role
    user.code_hash = code_hash
    session.add(user)
    session.flush()
    return user


def import_people(
    session: Session, people: Sequence[Person], code_hashes: Sequence[str]
) -> tuple[list[int], int]:
    """Add those who are new and update the names of the others: the places in ``people`` of the new, how many changed."""
    known = {_lower(user.name): user for user in session.scalars(select(User))}
    added, renamed = [], 0
    for place, (person, code_hash) in enumerate(zip(people, code_hashes, strict=True)):
        user = known.get(_lower(person.name))
        if user is None:
            add_user(session, person, code_hash)
            added.append(place)
        elif person.full_name and person.full_name != user.full_name:
            user.full_name = person.full_name
            renamed += 1
    return added, renamed


def reset_user(session: Session, name: str, code_hash: str) -> User:
    """Take a user's password and logins away; the one-time code is what lets them in again."""
    user = get_user(session, name)
    user.password_hash, user.code_hash = None, code_hash
    end_logins(session, user.id)
    return user


def suspend_user(session: Session, name: str) -> User:
    """Take a user's password, code and logins away, until `reset_user`; BadUser when it would leave no admin.

    Their work stays, and counts as before.
    """
    user = get_user(session, name)
    _keep_an_admin(session, user)
    user.password_hash = user.code_hash = None
    end_logins(session, user.id)
    return user


def change_role(session: Session, name: str, role: Role) -> User:
    """Give a user another role; BadUser when it would leave no admin."""
    user = get_user(session, name)
    if role != "admin":
        _keep_an_admin(session, user)
    user.role = role
    session.flush()
    _hand_over(session, user)
    return user


def end_logins(session: Session, user_id: int) -> None:
    """Log a user out everywhere."""
    session.execute(delete(Login).where(Login.user_id == user_id))


def can_log_in(database: Database) -> bool:
    """Whether there is an admin with a password or a code."""
    with database.read() as session:
        return session.scalars(_admins()).first() is not None


def clean_name(text: str) -> str:
    """A login name in its usual form; BadUser for an empty one or one with spaces and signs."""
    name = unicodedata.normalize("NFKC", text).strip()
    if not NAME.fullmatch(name) or name.lower() == LOCAL:
        raise BadUser("user-name", name=text)
    return name


def clean_full_name(text: str) -> str:
    """A person's name on one line; BadUser for one that is too long or holds control characters."""
    name = " ".join(text.split())
    if len(name) > FULL_NAME_LONGEST or any(unicodedata.category(c) in ("Cc", "Cs", "Cf") for c in name):
        raise BadUser("full-name", name=name[:FULL_NAME_LONGEST], longest=FULL_NAME_LONGEST)
    return name


def _admins() -> Select[Any]:
    """Who is an admin and can log in."""
    usable = User.password_hash.is_not(None) | User.code_hash.is_not(None)
    return select(User.id).where(User.role == "admin", usable)


def _keep_an_admin(session: Session, user: User) -> None:
    if user.role == "admin" and session.scalars(_admins().where(User.id != user.id)).first() is None:
        raise BadUser("last-admin", name=user.name)


def _hand_over(session: Session, admin: User) -> None:
    """Make the local user's work the first admin's."""
    local = _local(session)
    if admin.role != "admin" or local is None:
        return
    session.execute(update(Submission).where(Submission.user_id == local.id).values(user_id=admin.id))
    drafts.hand_over(session, local.id, admin.id)
    openings.hand_over(session, local.id, admin.id)
    session.delete(local)
    session.flush()


def _local(session: Session) -> User | None:
    return session.scalars(select(User).where(User.name == LOCAL)).first()


def _ids_and_roles(database: Database) -> list[tuple[int, str]]:
    with database.read() as session:
        known = session.execute(select(User.id, User.role).order_by(User.id))
        return [(user_id, role) for user_id, role in known]


def _lower(name: str) -> str:
    """As the database's lower() does it: ASCII letters only."""
    return "".join(c.lower() if c.isascii() else c for c in name)
