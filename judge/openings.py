"""What a learner chose to be shown before solving a problem: hints one after another, or the solution by giving up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from judge import scores
from judge.db import Database
from judge.models import Opening

SOLUTION = "solution"


@dataclass(frozen=True)
class Opened:
    """What one learner may see of one problem."""

    hints: int  # how many, from the first
    gave_up_at: datetime | None
    solved: bool

    @property
    def solution(self) -> bool:
        """Whether editorial and solution are shown."""
        return self.solved or self.gave_up_at is not None


def opened(session: Session, user_id: int, slug: str) -> Opened:
    """What a learner opened of a problem so far, and whether they solved it."""
    found = select(Opening.what, Opening.created_at).where(Opening.user_id == user_id, Opening.slug == slug)
    acts: dict[str, datetime] = {what: when for what, when in session.execute(found)}
    standing = scores.standings(session, user_id, slug).get(slug)
    hints = sum(what != SOLUTION for what in acts)
    return Opened(hints, acts.get(SOLUTION), standing is not None and standing.solved)


def given_up(session: Session, user_id: int) -> set[str]:
    """The slugs of the problems that a learner gave up."""
    gave_up = select(Opening.slug).where(Opening.user_id == user_id, Opening.what == SOLUTION)
    return set(session.scalars(gave_up))


def class_given_up(session: Session) -> dict[tuple[int, str], datetime]:
    """When each user gave up a problem, by user id and slug."""
    gave_up = select(Opening.user_id, Opening.slug, Opening.created_at).where(Opening.what == SOLUTION)
    return {(user_id, slug): when for user_id, slug, when in session.execute(gave_up)}


def open_hint(database: Database, user_id: int, slug: str, number: int) -> None:
    """Open hint ``number`` (from 1) and those before it."""
    _open(database, user_id, slug, [f"hint-{one}" for one in range(1, number + 1)])


def give_up(database: Database, user_id: int, slug: str) -> None:
    """Open the solution for good."""
    _open(database, user_id, slug, [SOLUTION])


def hand_over(session: Session, giver_id: int, taker_id: int) -> None:
    """Make one user's openings another's."""
    for slug, what in session.execute(
        select(Opening.slug, Opening.what).where(Opening.user_id == taker_id)
    ).all():
        twin = (Opening.user_id == giver_id, Opening.slug == slug, Opening.what == what)
        session.execute(delete(Opening).where(*twin))
    session.execute(update(Opening).where(Opening.user_id == giver_id).values(user_id=taker_id))


def _open(database: Database, user_id: int, slug: str, acts: Iterable[str]) -> None:
    for what in acts:
        try:
            with database.write() as session:
                if session.get(Opening, (user_id, slug, what)) is None:
                    session.add(Opening(user_id=user_id, slug=slug, what=what))
        except IntegrityError:
            continue  # opened at this moment in another tab
