"""Who submits. Without accounts there is one user, made at the first start."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from judge.db import Database
from judge.models import User

LOCAL = "local"


def local_user(database: Database) -> int:
    """The id of the local user, made when there is none yet."""
    mine = select(User.id).where(User.name == LOCAL)
    with database.read() as session:
        found = session.scalar(mine)
    if found is not None:
        return found
    try:
        with database.write() as session:
            user = User(name=LOCAL, role="admin")
            session.add(user)
            session.flush()
            return user.id
    except IntegrityError:  # another program made it at the same moment
        with database.read() as session:
            return session.scalars(mine).one()
