"""What counts: the one place that says which judgement of which submission makes a score or a status."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from judge.models import Judgement, Submission
from judge.submissions import UNSCORED, latest_ids


@dataclass(frozen=True)
class Standing:
    """One learner's standing at one problem."""

    solved: bool
    best_score: float  # 0 to 100
    attempts: int  # submissions that were judged; runs and faults of the judge are none


def standings(session: Session, user_id: int) -> dict[str, Standing]:
    """A learner's standing by slug, of every problem with at least one judged submission.

    Only submissions of mode ``submit`` count, each by its last judgement, and never SE or SKIP.
    """
    accepted = func.max(case((Judgement.verdict == "AC", 1), else_=0))
    rows = session.execute(
        select(Submission.slug, accepted, func.max(Judgement.score), func.count())
        .join(Judgement, Judgement.submission_id == Submission.id)
        .where(
            Submission.user_id == user_id,
            Submission.mode == "submit",
            Judgement.id.in_(latest_ids()),
            Judgement.status == "done",
            Judgement.verdict.not_in(UNSCORED),
        )
        .group_by(Submission.slug)
    )
    return {slug: Standing(bool(solved), best or 0.0, attempts) for slug, solved, best, attempts in rows}
