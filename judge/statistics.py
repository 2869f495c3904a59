"""Counts over everybody's judgements, for who runs the judge."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judge.models import Judgement


@dataclass(frozen=True)
class Counts:
    """Judgements by what became of them."""

    unfinished: dict[str, int]  # by status: queued, running
    verdicts: dict[str, int]


def count(session: Session) -> Counts:
    """The counts now."""
    status, verdict = Judgement.status, Judgement.verdict
    unfinished = select(status, func.count()).where(status != "done").group_by(status)
    done = select(verdict, func.count()).where(verdict.is_not(None)).group_by(verdict)
    return Counts(
        {one: number for one, number in session.execute(unfinished)},
        {str(one): number for one, number in session.execute(done)},
    )
