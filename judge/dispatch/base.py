"""The seam between storing a submission and judging it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from judge.dispatch.progress import Board
from judge.jobs import Job
from judge.problem import Problem

Report = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """A report, and the problem it was made with (None where judging did not come that far)."""

    report: Report
    problem: Problem | None


JudgeJob = Callable[[Job, Callable[[int], None], Callable[[Report], None]], Result]
"""Grades one job: told job, on_start(number of cases), on_case(case)."""


class Dispatcher(ABC):
    """Takes queued judgements up, has them judged, records them. What they are at is on the board."""

    board: Board

    @abstractmethod
    def start(self) -> None:
        """Take up what an earlier run left unfinished, then whatever is dispatched."""

    @abstractmethod
    def dispatch(self, submission_id: int) -> None:
        """Say that a judgement of this submission waits; returns at once."""

    @abstractmethod
    def close(self) -> None:
        """Stop judging; unfinished judgements go back to the queue."""


def fault(job: Job, why: str) -> Result:
    """The result of a job that the judge could not finish: SE. ``why`` is a key of the judge's words."""
    report: Report = {
        "format": 1,
        "slug": job.slug,
        "mode": job.mode,
        "seed": job.seed,
        "verdict": "SE",
        "score": 0.0,
        "limits": {},
        "backend": "",
        "protections": {},
        "versions": {},
        "phases": {},
        "load": None,
        "cases": [],
        "fault": why,
    }
    return Result(report, None)
