"""What counts: the one place that says which judgement of which submission makes a score or a status."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, select
from sqlalchemy.orm import Session

from judge.models import Judgement, Submission
from judge.submissions import UNSCORED, is_last


@dataclass(frozen=True)
class Standing:
    """One learner's standing at one problem."""

    solved: bool
    best_score: float  # 0 to 100
    attempts: int  # submissions that were judged; runs and faults of the judge are none
    last_at: datetime | None = None  # the last submission or run of any outcome, where it was asked for


def counted() -> ColumnElement[bool]:
    """Whether a judgement, joined to its submission, counts: the last one of it that came to a score.

    Only submissions of mode ``submit``. SE and SKIP say nothing about a learner's work, and a rejudge that still
    waits says nothing yet: until then, and after a fault of ours, the judgement before it counts.
    """
    return and_(Submission.mode == "submit", is_last(_scored))


def standings(session: Session, user_id: int, slug: str | None = None) -> dict[str, Standing]:
    """A learner's standing by slug, of every problem (or this one) with at least one submission that counts."""
    asked = [Submission.user_id == user_id, *([] if slug is None else [Submission.slug == slug])]
    rows = session.execute(_standing(Submission.slug).where(*asked, counted()))
    return {slug: Standing(bool(solved), best or 0.0, attempts) for slug, solved, best, attempts in rows}


def latest_accepted(session: Session, user_id: int, slug: str) -> int | None:
    """The number of a learner's latest submission to a problem that counts and is accepted."""
    asked = [Submission.user_id == user_id, Submission.slug == slug, Judgement.verdict == "AC", counted()]
    found = select(func.max(Submission.id)).join(Judgement, Judgement.submission_id == Submission.id)
    return session.scalar(found.where(*asked))


def class_standings(session: Session, user_ids: Collection[int]) -> dict[tuple[int, str], Standing]:
    """The standing of each learner at each problem that they sent anything to, by user id and slug: two queries."""
    last = select(Submission.user_id, Submission.slug, func.max(Submission.created_at)).group_by(
        Submission.user_id, Submission.slug
    )
    found = {
        (user_id, slug): Standing(False, 0.0, 0, last_at)
        for user_id, slug, last_at in session.execute(last)
        if user_id in user_ids
    }
    for user_id, slug, solved, best, attempts in session.execute(
        _standing(Submission.user_id, Submission.slug).where(counted())
    ):
        if (user_id, slug) in found:
            last_at = found[user_id, slug].last_at
            found[user_id, slug] = Standing(bool(solved), best or 0.0, attempts, last_at)
    return found


def _standing(*by: Any) -> Select[Any]:
    accepted = func.max(case((Judgement.verdict == "AC", 1), else_=0))
    return (
        select(*by, accepted, func.max(Judgement.score), func.count())
        .join(Judgement, Judgement.submission_id == Submission.id)
        .group_by(*by)
    )


def _scored(judgement: type[Judgement]) -> ColumnElement[bool]:
    return judgement.verdict.not_in(UNSCORED)  # a judgement that is not done has none
