"""Logging in: a name with a password or a one-time code becomes a login, whose token a browser keeps."""

from __future__ import annotations

import secrets
from datetime import timedelta

from sqlalchemy import bindparam, delete, select

from judge.db import Database
from judge.models import Login, User, now
from judge.passwords import hash_password, hash_secret, is_code, is_password
from judge.users import Reader, end_logins, find_user

LASTS = timedelta(days=14)


def log_in(database: Database, name: str, secret: str) -> str | None:
    """The token of a new login, None where name and password, or one-time code, do not belong together."""
    with database.read() as session:
        user = find_user(session, name)
    right = is_password(user.password_hash if user else None, secret)
    if user is None or not (right or is_code(user.code_hash, secret)):
        return None
    return _new_login(database, user.id)


# built once: every request asks
_HOLDER = (
    select(User.id, User.name, User.full_name, User.role, User.password_hash.is_(None))
    .join(Login)
    .where(Login.token_hash == bindparam("token_hash"), Login.until > bindparam("moment"))
)


def reader_of(database: Database, token: str) -> Reader | None:
    """Who holds a login's token; None when it ended."""
    found = database.row(_HOLDER, {"token_hash": hash_secret(token), "moment": now()})
    return None if found is None else Reader(*tuple(found))


def log_out(database: Database, token: str) -> None:
    """End the login of a token."""
    with database.write() as session:
        session.execute(delete(Login).where(Login.token_hash == hash_secret(token)))


def confirm(database: Database, reader: Reader, password: str) -> bool:
    """Whether it is the reader's present password; one who came by a code has none to give."""
    if reader.must_choose:
        return True
    with database.read() as session:
        stored = session.scalar(select(User.password_hash).where(User.id == reader.id))
    return is_password(stored, password)


def choose_password(database: Database, reader: Reader, password: str) -> str:
    """Store a new password, use the code up, end every login of the user; the token of a new one. WeakPassword."""
    password_hash = hash_password(password, reader.name)
    with database.write() as session:
        user = session.get_one(User, reader.id)
        user.password_hash, user.code_hash = password_hash, None
        end_logins(session, user.id)
    return _new_login(database, reader.id)


def _new_login(database: Database, user_id: int) -> str:
    token = secrets.token_urlsafe(32)
    with database.write() as session:
        session.execute(delete(Login).where(Login.until < now()))
        session.add(Login(token_hash=hash_secret(token), user_id=user_id, until=now() + LASTS))
    return token
