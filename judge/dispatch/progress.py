"""What running judgements are at, in memory: a case that finishes costs no write to the database."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from judge.jobs import Job
from judge.submissions import VERSION_STEP

LOOK_BACK_S = 60.0


@dataclass(frozen=True)
class Running:
    """A running judgement as it stands: ``version`` counts up from the stored one with every case."""

    version: int
    cases_total: int | None = None  # None until the grader has counted them
    cases: tuple[dict[str, Any], ...] = field(default=())


class Board:
    """The running judgements by submission, and a way to wait for a change. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends: deque[float] = deque(maxlen=30)  # when the last judgements ended
        self._running: dict[int, tuple[int, Running]] = {}  # submission id: attempt, state
        self._changes: dict[int, int] = {}
        self._changed = threading.Condition()

    def begin(self, job: Job) -> None:
        """A job was taken up."""
        with self._changed:
            self._running[job.submission_id] = (job.attempt, Running(job.version))
            self._tell(job.submission_id)

    def count(self, job: Job, cases_total: int) -> None:
        """The grader knows how many cases there will be; said again when it begins anew after a fault of ours."""
        self._update(job, lambda state: Running(_next(state), cases_total))

    def case(self, job: Job, case: dict[str, Any]) -> None:
        """A case is finished."""
        self._update(job, lambda state: Running(_next(state), state.cases_total, (*state.cases, case)))

    def end(self, job: Job) -> None:
        """The job is recorded or given up; from now on the database knows better."""
        with self._changed:
            if self._running.get(job.submission_id, (None,))[0] == job.attempt:
                del self._running[job.submission_id]
            self._ends.append(self._clock())
            self._tell(job.submission_id)

    def seconds_each(self) -> float | None:
        """Seconds from one judgement's end to the next one's, of late; None where too few ended to tell."""
        with self._changed:
            recent = [end for end in self._ends if end > self._clock() - LOOK_BACK_S]
        return (self._clock() - recent[0]) / len(recent) if len(recent) >= 3 else None

    def touch(self, submission_id: int) -> None:
        """Something stored about the submission changed."""
        with self._changed:
            self._tell(submission_id)

    def get(self, submission_id: int) -> Running | None:
        """The running judgement of a submission, None when none runs here."""
        with self._changed:
            entry = self._running.get(submission_id)
            return None if entry is None else entry[1]

    def wait(self, submission_id: int, enough: Callable[[], bool], timeout_s: float) -> bool:
        """Ask ``enough()`` now and after every change of the submission, until it holds or time is up."""
        deadline = time.monotonic() + timeout_s
        while True:
            with self._changed:
                seen = self._changes.get(submission_id, 0)
            if enough():
                return True
            if not self._wait_change(submission_id, seen, deadline - time.monotonic()):
                return enough()

    def _wait_change(self, submission_id: int, seen: int, timeout_s: float) -> bool:
        with self._changed:
            changed = self._changed.wait_for(
                lambda: self._changes.get(submission_id, 0) != seen, max(0.0, timeout_s)
            )
        return changed

    def _update(self, job: Job, change: Callable[[Running], Running]) -> None:
        with self._changed:
            attempt, state = self._running.get(job.submission_id, (None, None))
            if attempt == job.attempt and state is not None:
                self._running[job.submission_id] = (job.attempt, change(state))
                self._tell(job.submission_id)

    def _tell(self, submission_id: int) -> None:
        if len(self._changes) > 10_000:  # a waiter whose count vanishes only looks once more
            self._changes.clear()
        self._changes[submission_id] = self._changes.get(submission_id, 0) + 1
        self._changed.notify_all()


def _next(state: Running) -> int:
    step = VERSION_STEP
    return min(state.version + 1, state.version - state.version % step + step - 1)
