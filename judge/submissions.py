"""The life of a submission in the database: submit, take up, renew, record, give back, retry, rejudge.

A judgement is taken up by a conditional update and recorded under the attempt number it was taken up with, so
one that is delivered twice, or that comes back after its lease ran out, counts once.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, CursorResult, and_, bindparam, func, or_, select, update
from sqlalchemy.orm import Session, aliased, joinedload

from judge.db import Database
from judge.lines import UserError
from judge.models import Judgement, Mistake, Submission, now
from judge.problem import Problem
from judge.reports import dump_report
from judge.versions import store_version

Mode = Literal["run", "submit"]
VERSION_STEP = 10_000  # between two stored versions of a judgement: room for those of its running cases
UNSCORED = ("SE", "SKIP")
EXACT_BELOW = 10  # places in the queue


class NoSubmission(UserError):
    """There is no submission of that number, or it is not of a kind that can be retried."""


@dataclass(frozen=True)
class Job:
    """A judgement that was taken up: all that is needed to grade it and to record the result."""

    judgement_id: int
    attempt: int
    submission_id: int
    slug: str
    mode: Mode
    source: bytes
    seed: str
    version: int  # the stored version; running cases count up from it
    queued_s: float


def submit(session: Session, user_id: int, problem: Problem, source: bytes, mode: Mode) -> Judgement:
    """Store the source and a queued judgement of it, with a new secret seed."""
    submission = Submission(
        user_id=user_id, slug=problem.slug, number=problem.number, mode=mode, source=source
    )
    judgement = Judgement(submission=submission, seed=secrets.token_hex(16))
    session.add_all([submission, judgement])
    session.flush()
    return judgement


def take_up(database: Database, owner: str, lease_s: float) -> Job | None:
    """Claim the oldest judgement that waits or whose lease ran out, for ``lease_s`` seconds; None when there is none.

    Rejudges come last: a whole problem may be judged again while a class works.
    """
    while True:
        with database.read() as session:
            oldest = select(Judgement.id, Judgement.attempt).where(_free())
            oldest = oldest.order_by(Judgement.rejudge, Judgement.id).limit(1)
            found = session.execute(oldest).first()
        if found is None:
            return None
        with database.write() as session:
            if _claim(session, found.id, found.attempt, owner, lease_s):
                return _job(session, found.id)


def renew(database: Database, jobs: Sequence[Job], lease_s: float) -> None:
    """Push the leases of ``jobs`` on, those that are still theirs."""
    with database.write() as session:
        for job in jobs:
            _update(session, _held(job), lease_until=now() + timedelta(seconds=lease_s))


def record(database: Database, job: Job, report: dict[str, Any], problem: Problem | None) -> bool:
    """Store a job's report and verdict, and the problem version it was judged with.

    False, and nothing of the judgement changes, when the job is no longer this attempt's.
    """
    began = now()
    if problem is not None:
        store_version(database, problem)
    with database.write() as session:
        phases = dict(report.get("phases", {}))
        phases["queued_s"] = round(phases.get("queued_s", 0.0) + job.queued_s, 6)
        phases["record_s"] = round((now() - began).total_seconds(), 6)
        values = _outcome({**report, "phases": phases}, problem)
        recorded = _update(session, _held(job), version=job.version + VERSION_STEP, **values) == 1
        if recorded:
            _note_mistakes(session, job.judgement_id, report)
    return recorded


def record_finished(
    database: Database, user_id: int, problem: Problem, source: bytes, mode: Mode, report: dict[str, Any]
) -> int:
    """Store a submission that was judged elsewhere (the command line), with its report; returns its id."""
    store_version(database, problem)
    with database.write() as session:
        judgement = submit(session, user_id, problem, source, mode)
        judgement.status, judgement.seed, judgement.attempt = "done", report["seed"], 1
        for name, value in _outcome(report, problem).items():
            setattr(judgement, name, value)
        _note_mistakes(session, judgement.id, report)
        return judgement.submission_id


def give_back(database: Database, jobs: Sequence[Job]) -> None:
    """Put unfinished jobs back in the queue, where a program that ends leaves them."""
    with database.write() as session:
        for job in jobs:
            _update(
                session,
                _held(job),
                status="queued",
                lease_until=None,
                version=Judgement.version + VERSION_STEP,
            )


def requeue(database: Database, owner: str) -> int:
    """Put everything back in the queue that ``owner`` had taken up before it died; returns how many."""
    with database.write() as session:
        mine = and_(Judgement.status == "running", Judgement.owner == owner)
        return _update(
            session, mine, status="queued", lease_until=None, version=Judgement.version + VERSION_STEP
        )


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
_QUEUED = select(Judgement.id).where(Judgement.status == "queued").order_by(Judgement.rejudge, Judgement.id)
_WAITING = select(func.count()).select_from(Judgement).where(Judgement.status == "queued")
_FRESH = _WAITING.where(Judgement.rejudge.is_(False))
_FRESH_BEFORE = _FRESH.where(Judgement.id < bindparam("judgement"))
_ALL_BEFORE = _WAITING.where(or_(Judgement.rejudge.is_(False), Judgement.id < bindparam("judgement")))


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


def far_behind(session: Session) -> dict[int, int]:
    """The position of every judgement that has `EXACT_BELOW` or more ahead of it, by id."""
    queued = enumerate(session.scalars(_QUEUED))
    return {judgement_id: _rounded(ahead) for ahead, judgement_id in queued if ahead >= EXACT_BELOW}


def waiting(session: Session) -> int:
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


def waiting_of(session: Session, user_id: int) -> int:
    """How many judgements of one person's submissions, of whatever mode, wait or run."""
    theirs = select(func.count()).select_from(Judgement).join(Submission)
    found = theirs.where(
        Submission.user_id == user_id, Judgement.status != "done", Judgement.rejudge.is_(False)
    )
    return session.scalar(found) or 0


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


def _free() -> ColumnElement[bool]:
    lost = and_(Judgement.status == "running", Judgement.lease_until < now())
    return or_(Judgement.status == "queued", lost)


def _held(job: Job) -> ColumnElement[bool]:
    return and_(
        Judgement.id == job.judgement_id, Judgement.attempt == job.attempt, Judgement.status == "running"
    )


def _update(session: Session, where: ColumnElement[bool], **values: object) -> int:
    result = session.execute(
        update(Judgement).where(where).values(**values), execution_options={"synchronize_session": False}
    )
    assert isinstance(result, CursorResult)
    return result.rowcount


def _claim(session: Session, judgement_id: int, attempt: int, owner: str, lease_s: float) -> bool:
    mine = and_(Judgement.id == judgement_id, Judgement.attempt == attempt, _free())
    moment = now()
    return (
        _update(
            session,
            mine,
            status="running",
            attempt=attempt + 1,
            owner=owner,
            lease_until=moment + timedelta(seconds=lease_s),
            started_at=moment,
            version=Judgement.version + VERSION_STEP,
        )
        == 1
    )


def _job(session: Session, judgement_id: int) -> Job:
    judgement = session.get_one(Judgement, judgement_id)
    submission = judgement.submission
    assert judgement.started_at is not None
    return Job(
        judgement_id=judgement.id,
        attempt=judgement.attempt,
        submission_id=submission.id,
        slug=submission.slug,
        mode="run" if submission.mode == "run" else "submit",
        source=submission.source,
        seed=judgement.seed,
        version=judgement.version,
        queued_s=(judgement.started_at - judgement.created_at).total_seconds(),
    )


def _note_mistakes(session: Session, judgement_id: int, report: dict[str, Any]) -> None:
    keys = {case["mistake"] for case in report.get("cases", []) if case.get("mistake")}
    session.add_all([Mistake(judgement_id=judgement_id, key=key) for key in sorted(keys)])


def _outcome(report: dict[str, Any], problem: Problem | None) -> dict[str, Any]:
    return {
        "status": "done",
        "lease_until": None,
        "verdict": report["verdict"],
        "score": None if report["verdict"] in UNSCORED else report["score"],
        "problem_version": None if problem is None else problem.version,
        "report": dump_report(report),
        "finished_at": now(),
    }
