"""The life of a judgement in the database: take up, renew, record, give back.

It is taken up by a conditional update and recorded under the attempt number it was taken up with, so one that is
delivered twice, or that comes back after its lease ran out, counts once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, CursorResult, and_, or_, select, update
from sqlalchemy.orm import Session

from judge.db import Database
from judge.models import Judgement, Mistake, now
from judge.problem import Problem
from judge.reports import dump_report
from judge.submissions import UNSCORED, VERSION_STEP, Mode, submit
from judge.versions import store_version


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
