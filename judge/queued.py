"""The queue as those see it who wait in it: who is next, how many wait."""

from __future__ import annotations

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import Session

from judge.models import Judgement, Submission

EXACT_BELOW = 10  # places

# built once: hundreds of browsers ask, and to build a statement takes longer than to run it
_QUEUED = select(Judgement.id).where(Judgement.status == "queued").order_by(Judgement.rejudge, Judgement.id)
_WAITING = select(func.count()).select_from(Judgement).where(Judgement.status == "queued")
_FRESH = _WAITING.where(Judgement.rejudge.is_(False))
_FRESH_BEFORE = _FRESH.where(Judgement.id < bindparam("judgement"))
_ALL_BEFORE = _WAITING.where(or_(Judgement.rejudge.is_(False), Judgement.id < bindparam("judgement")))


def far_behind(session: Session) -> dict[int, int]:
    """The position of every judgement that has `EXACT_BELOW` or more ahead of it, by id."""
    in_order = enumerate(session.scalars(_QUEUED))
    return {judgement_id: _rounded(ahead) for ahead, judgement_id in in_order if ahead >= EXACT_BELOW}


def count(session: Session) -> int:
    """How many judgements wait that learners wait for."""
    return session.scalar(_FRESH) or 0


def position(session: Session, judgement_id: int, status: str, rejudge: bool) -> int:
    """A judgement's place among those that wait, 1 for the next one; 0 for one that does not wait.

    Far behind it is rounded down to tens, then to fifties: a place that changes with every judgement made would be
    told to everybody who waits.
    """
    if status != "queued":
        return 0
    before = _ALL_BEFORE if rejudge else _FRESH_BEFORE
    return _rounded(session.scalar(before, {"judgement": judgement_id}) or 0)


def _rounded(ahead: int) -> int:
    step = 1 if ahead < EXACT_BELOW else 10 if ahead < 100 else 50
    return ahead // step * step + 1


def count_of(session: Session, user_id: int) -> int:
    """How many judgements of one person's submissions, of whatever mode, wait or run."""
    theirs = select(func.count()).select_from(Judgement).join(Submission)
    found = theirs.where(
        Submission.user_id == user_id, Judgement.status != "done", Judgement.rejudge.is_(False)
    )
    return session.scalar(found) or 0
