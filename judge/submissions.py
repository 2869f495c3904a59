"""A submission and its judgements in the database: submit, find the one to show, retry, rejudge."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Literal, NamedTuple

from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select
from sqlalchemy.orm import Session, aliased, joinedload

from judge.db import Database
from judge.lines import UserError
from judge.models import Judgement, Submission
from judge.problem import Problem

Mode = Literal["run", "submit"]
VERSION_STEP = 10_000  # between two stored versions of a judgement: room for those of its running cases
UNSCORED = ("SE", "SKIP")


class NoSubmission(UserError):
    """There is no submission of that number, or it is not of a kind that can be retried."""


def submit(session: Session, user_id: int, problem: Problem, source: bytes, mode: Mode) -> Judgement:
    """Store the source and a queued judgement of it, with a new secret seed."""
    submission = Submission(
        user_id=user_id, slug=problem.slug, number=problem.number, mode=mode, source=source
    )
    judgement = Judgement(submission=submission, seed=secrets.token_hex(16))
    session.add_all([submission, judgement])
    session.flush()
    return judgement


def latest(session: Session, submission_id: int) -> Judgement | None:
    """The judgement to show of a submission, its submission loaded; None for an unknown number.

    It is the newest, unless that ended in a fault of ours and one before it did not: a rejudge that failed takes no
    result away.
    """
    return session.scalars(_LATEST, {"submission": submission_id}).first()


def newest(session: Session, submission_id: int) -> Judgement | None:
    """The newest judgement of a submission, however it ended; None for an unknown number."""
    return session.scalars(_NEWEST, {"submission": submission_id}).first()


class Stage(NamedTuple):
    """How far the judgement to show of a submission is, without report and source."""

    judgement_id: int
    status: str
    version: int
    rejudge: bool
    user_id: int  # whose submission it is


def _at_fault(judgement: type[Judgement]) -> ColumnElement[bool]:
    """Whether a judgement ended, and without a word on the submission; also false, not unknown, while it waits."""
    return func.coalesce(judgement.verdict, "").in_(UNSCORED)


# built once: hundreds of browsers ask, and to build a statement takes longer than to run it
_OF_SUBMISSION = (
    select(Judgement)
    .where(Judgement.submission_id == bindparam("submission"))
    .limit(1)
    .options(joinedload(Judgement.submission))
)
SHOWN_FIRST = (_at_fault(Judgement), Judgement.id.desc())
_LATEST = _OF_SUBMISSION.order_by(*SHOWN_FIRST)
_NEWEST = _OF_SUBMISSION.order_by(Judgement.id.desc())
_STAGE = (
    select(Judgement.id, Judgement.status, Judgement.version, Judgement.rejudge, Submission.user_id)
    .join(Submission)
    .where(Submission.id == bindparam("submission"))
    .order_by(*SHOWN_FIRST)
    .limit(1)
)


def stage(database: Database, submission_id: int) -> Stage | None:
    """How far a submission is; None for an unknown number."""
    found = database.row(_STAGE, {"submission": submission_id})
    return None if found is None else Stage(*tuple(found))


def is_last(*of: Callable[[type[Judgement]], ColumnElement[bool]]) -> ColumnElement[bool]:
    """Whether a judgement is its submission's last, or the last of those of its judgements that ``of`` holds for.

    It asks for each submission by itself: a learner's page must not look at everybody's judgements.
    """
    other = aliased(Judgement)
    later = select(other.id).where(other.submission_id == Judgement.submission_id, other.id > Judgement.id)
    later = later.where(*(holds(other) for holds in of)).correlate(Judgement)
    return and_(*(holds(Judgement) for holds in of), ~later.exists())


def is_shown() -> ColumnElement[bool]:
    """Whether a judgement is the one that `latest` gives."""

    def without_fault(judgement: type[Judgement]) -> ColumnElement[bool]:
        return ~_at_fault(judgement)

    other = aliased(Judgement)
    told = select(other.id).where(other.submission_id == Judgement.submission_id, without_fault(other))
    return or_(is_last(without_fault), and_(is_last(), ~told.correlate(Judgement).exists()))


def retry(session: Session, submission_id: int) -> Judgement:
    """Queue a submission again after a fault of the judge, with a new seed; NoSubmission where there was none."""
    judgement = latest(session, submission_id)  # a fault after a result is none of the learner's
    if judgement is None:
        raise NoSubmission("no-submission", id=submission_id)
    if judgement.verdict != "SE":
        raise NoSubmission("not-retried", id=submission_id)
    return _again(session, judgement, secrets.token_hex(16))


def rejudge(session: Session, submission_id: int) -> Judgement:
    """Queue a finished submission again with the seed it had, on the problem as it is now."""
    judgement = newest(session, submission_id)
    if judgement is None:
        raise NoSubmission("no-submission", id=submission_id)
    if judgement.status != "done":
        return judgement
    return _again(session, judgement, judgement.seed, rejudge=True)


def newest_id(session: Session, user_id: int, slug: str) -> int | None:
    """The number of a user's latest submission or run to a problem."""
    mine = [Submission.user_id == user_id, Submission.slug == slug]
    return session.scalar(select(func.max(Submission.id)).where(*mine))


def judged_ids(session: Session, slug: str) -> list[int]:
    """The submissions to a problem that were judged and count, of all users, oldest first."""
    judged = select(Submission.id).join(Judgement).where(Submission.slug == slug, Submission.mode == "submit")
    found = judged.where(is_last(), Judgement.verdict.is_not(None)).order_by(Submission.id)
    return list(session.scalars(found))


def _again(session: Session, judgement: Judgement, seed: str, rejudge: bool = False) -> Judgement:
    added = Judgement(
        submission_id=judgement.submission_id,
        seed=seed,
        version=judgement.version + VERSION_STEP,
        rejudge=rejudge,
    )
    session.add(added)
    session.flush()
    return added
