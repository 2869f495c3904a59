"""What counts: the one place that says which judgement of which submission makes a score or a status."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
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
    # of a class only:
    last_at: datetime | None = None  # the last submission or run of any outcome
    sent: int = 0  # submissions, also those that wait or ended in a fault of the judge
    waiting: bool = False  # whether one of them waits or runs
    solved_by: datetime | None = None  # when the first accepted submission was sent


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


def class_standings(
    session: Session, user_ids: Collection[int], before: datetime | None = None
) -> dict[tuple[int, str], Standing]:
    """The standing of each learner at each problem that they sent anything to, by user id and slug: three queries.

    ``before``: only what was sent before that moment, by the judgement that counts now.
    """
    by = (Submission.user_id, Submission.slug)
    in_time = sent_before(before)
    submitted = func.sum(case((Submission.mode == "submit", 1), else_=0))
    waits = select(*by).join(Judgement, Judgement.submission_id == Submission.id).distinct()
    unjudged = session.execute(
        waits.where(Submission.mode == "submit", Judgement.verdict.is_(None), *in_time)
    )
    waiting = {(user_id, slug) for user_id, slug in unjudged}
    found = {
        (user_id, slug): Standing(False, 0.0, 0, last_at, sent, (user_id, slug) in waiting)
        for user_id, slug, last_at, sent in session.execute(
            select(*by, func.max(Submission.created_at), submitted).where(*in_time).group_by(*by)
        )
        if user_id in user_ids
    }
    first = func.min(case((Judgement.verdict == "AC", Submission.created_at)))
    judged = _standing(*by).add_columns(first).where(counted(), *in_time)
    for user_id, slug, solved, best, attempts, solved_by in session.execute(judged):
        if was := found.get((user_id, slug)):
            found[user_id, slug] = replace(
                was, solved=bool(solved), best_score=best or 0.0, attempts=attempts, solved_by=solved_by
            )
    return found


def sent_before(moment: datetime | None) -> list[ColumnElement[bool]]:
    """What keeps the submissions sent before a moment; nothing where there is none."""
    return [] if moment is None else [Submission.created_at < moment]


def _standing(*by: Any) -> Select[Any]:
    accepted = func.max(case((Judgement.verdict == "AC", 1), else_=0))
    return (
        select(*by, accepted, func.max(Judgement.score), func.count())
        .join(Judgement, Judgement.submission_id == Submission.id)
        .group_by(*by)
    )


def _scored(judgement: type[Judgement]) -> ColumnElement[bool]:
    return judgement.verdict.not_in(UNSCORED)  # a judgement that is not done has none
