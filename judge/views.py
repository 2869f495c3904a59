"""What a reader sees of a submission: the last judgement's report, disclosed and put into words."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from judge import lines, submissions
from judge.dispatch.progress import Running
from judge.grading.disclose import Level, disclose, disclose_case
from judge.models import Judgement, Submission
from judge.problem import Problem
from judge.reports import clean
from judge.words import in_words, localise, verdict_word

View = dict[str, Any]
WAITING = submissions.VERSION_STEP - 1


class Seen(NamedTuple):
    """How far a submission is, without its view."""

    version: int  # of the view
    done: bool
    position: int


def seen_version(status: str, version: int, running: Running | None, position: int) -> int:
    """A number that changes whenever the view does: by stored changes, finished cases, and places in the queue."""
    if status == "queued":
        return version + WAITING - min(position, WAITING)
    return running.version if status == "running" and running is not None else version


def make_view(
    judgement: Judgement,
    running: Running | None,
    position: int,
    problem: Problem | None,
    lang: str,
    level: Level,
    in_charge: bool = False,
) -> View:
    """The view of a submission (the JSON API's answer) in ``lang``, hidden cases shown up to ``level``.

    ``position`` as `queued.position` has it. Who is ``in_charge`` of the cases also reads what went wrong in them.
    """
    submission = judgement.submission
    done = judgement.status == "done"
    running = running if judgement.status == "running" else None  # it may have begun since it was read
    shown = (
        _done(judgement, problem, lang, level, in_charge) if done else _running(running, problem, lang, level)
    )
    return {
        **_summary(submission, judgement, lang),
        "title": _title(problem, submission.slug, lang),
        "source": submission.source.decode("utf-8", "replace"),
        "version": seen_version(judgement.status, judgement.version, running, position),
        "queue_position": position,
        **{
            "cases_total": None,
            "cases": [],
            "load": None,
            "phases": {},
            "backend": None,
            "message": None,
            **shown,
        },
        "problem_version": judgement.problem_version,
        "seed": judgement.seed if done and level == "full" else None,
    }


def history(session: Session, user_id: int, slug: str, lang: str, limit: int) -> list[View]:
    """A learner's latest submissions to a problem, newest first, without source and cases."""
    rows = session.execute(
        select(Submission, Judgement)
        .join(Judgement, Judgement.submission_id == Submission.id)
        .where(
            Submission.user_id == user_id,
            Submission.slug == slug,
            submissions.is_shown(),
        )
        .options(defer(Submission.source), defer(Judgement.report))
        .order_by(Submission.id.desc())
        .limit(limit)
    )
    return [_summary(submission, judgement, lang) for submission, judgement in rows]


def _summary(submission: Submission, judgement: Judgement, lang: str) -> View:
    return {
        "id": submission.id,
        "user": submission.user_id,
        "problem": submission.number,
        "slug": submission.slug,
        "mode": submission.mode,
        "status": judgement.status,
        "verdict": judgement.verdict,
        "verdict_word": verdict_word(judgement.verdict, lang) if judgement.verdict else None,
        "score": judgement.score,
        "created_at": submission.created_at.isoformat(timespec="milliseconds"),
        "finished_at": judgement.finished_at and judgement.finished_at.isoformat(timespec="milliseconds"),
        "rejudge": judgement.rejudge,
    }


def _done(judgement: Judgement, problem: Problem | None, lang: str, level: Level, in_charge: bool) -> View:
    report: dict[str, Any] = json.loads(judgement.report or "{}")
    if "fault" in report:
        return {"message": lines.line(f"fault.{report['fault']}", lang)}
    shown = disclose(report, level)
    if problem is not None:
        shown = localise(shown, problem, lang)
    faults = {"faults": report["faults"]} if in_charge and "faults" in report else {}
    told = ("cases", "load", "phases", "backend", "protections", "versions", "limits", "message")
    return {
        "cases_total": len(shown["cases"]),
        **{name: shown[name] for name in told if name in shown},
        **faults,
    }


def _running(running: Running | None, problem: Problem | None, lang: str, level: Level) -> View:
    if running is None:
        return {}
    cases = [disclose_case(case, level) for case in clean(running.cases)]
    if problem is not None:
        cases = [in_words(case, problem, lang) for case in cases]
    return {"cases_total": running.cases_total, "cases": cases}


def _title(problem: Problem | None, slug: str, lang: str) -> str:
    if problem is None:
        return slug
    return problem.title.get(lang) or next(iter(problem.title.values()), slug)
