"""What a reader sees of a submission: the last judgement's report, disclosed and put into words."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judge import lines, submissions
from judge.dispatch.progress import Running
from judge.grading.disclose import disclose
from judge.models import Judgement, Submission
from judge.problem import Problem
from judge.words import localise, verdict_word

View = dict[str, Any]
WAITING = submissions.VERSION_STEP - 1


def seen_version(judgement: Judgement, running: Running | None, position: int) -> int:
    """A number that changes whenever the view does: by stored changes, finished cases, and places in the queue."""
    if judgement.status == "running" and running is not None:
        return running.version
    if judgement.status == "queued":
        return judgement.version + WAITING - min(position, WAITING)
    return judgement.version


def make_view(
    judgement: Judgement,
    running: Running | None,
    position: int,
    problem: Problem | None,
    lang: str,
    level: str,
) -> View:
    """The view of a submission (the JSON API's answer) in ``lang``, hidden cases shown up to ``level``.

    ``position`` is 1 for the next in the queue, 0 for what does not wait.
    """
    submission = judgement.submission
    report = _report(judgement, running)
    shown = disclose(report, level)
    if problem is not None:
        shown = localise(shown, problem, lang)
    done = judgement.status == "done"
    return {
        **_summary(submission, judgement, lang),
        "title": _title(problem, submission.slug, lang),
        "source": submission.source.decode("utf-8", "replace"),
        "version": seen_version(judgement, running, position),
        "queue_position": position,
        "cases_total": len(shown["cases"]) if done else running and running.cases_total,
        "cases": shown["cases"],
        "load": shown.get("load"),
        "phases": shown.get("phases") or {},
        "backend": shown.get("backend"),
        "protections": shown.get("protections") or {},
        "problem_version": judgement.problem_version,
        "seed": judgement.seed if done and level == "full" else None,
        "message": _message(shown, lang),
    }


def history(session: Session, user_id: int, slug: str, lang: str, limit: int) -> list[View]:
    """A learner's latest submissions to a problem, newest first, without source and cases."""
    rows = session.execute(
        select(Submission, Judgement)
        .join(Judgement, Judgement.submission_id == Submission.id)
        .where(
            Submission.user_id == user_id,
            Submission.slug == slug,
            Judgement.id.in_(submissions.latest_ids()),
        )
        .order_by(Submission.id.desc())
        .limit(limit)
    )
    return [_summary(submission, judgement, lang) for submission, judgement in rows]


def _summary(submission: Submission, judgement: Judgement, lang: str) -> View:
    return {
        "id": submission.id,
        "problem": submission.number,
        "slug": submission.slug,
        "mode": submission.mode,
        "status": judgement.status,
        "verdict": judgement.verdict,
        "verdict_word": verdict_word(judgement.verdict, lang) if judgement.verdict else None,
        "score": judgement.score,
        "created_at": submission.created_at.isoformat(timespec="milliseconds"),
        "finished_at": judgement.finished_at and judgement.finished_at.isoformat(timespec="milliseconds"),
    }


def _report(judgement: Judgement, running: Running | None) -> dict[str, Any]:
    if judgement.report is not None:
        report: dict[str, Any] = json.loads(judgement.report)
        return report
    cases = list(submissions.clean(running.cases)) if judgement.status == "running" and running else []
    return {"format": 1, "load": None, "phases": {}, "cases": cases, "verdict": None}


def _title(problem: Problem | None, slug: str, lang: str) -> str:
    if problem is None:
        return slug
    return problem.title.get(lang) or next(iter(problem.title.values()), slug)


def _message(shown: dict[str, Any], lang: str) -> str | None:
    if "fault" in shown:
        return lines.line(f"fault.{shown['fault']}", lang)
    message: str | None = shown.get("message")
    return message
