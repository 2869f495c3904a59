"""Scratch runs of a server: a learner's own lines beside their code, judged as a run is, kept in memory and never stored."""

from __future__ import annotations

import logging
import queue
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from judge.dispatch.base import Report
from judge.lines import UserError
from judge.problem import Problem

LOG = logging.getLogger(__name__)
KEPT_MAX = 300  # of all users together; the oldest are forgotten first
KEPT_S = 15 * 60.0
WAITING_MAX = 100

Run = Callable[["Tryout"], Report]


class TryoutRefused(UserError):
    """It is not run: the user's last one has not ended, or too many wait."""


@dataclass
class Tryout:
    """One scratch run: what was asked, and its report once it is there."""

    user: int
    problem: Problem
    source: bytes
    lines: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    begun_s: float = field(default_factory=time.monotonic)
    report: Report | None = None


class Tryouts:
    """Runs them in threads that only wait, fewer than there are zygotes: submissions keep the rest. Thread-safe."""

    def __init__(self, run: Run, workers: int) -> None:
        """``run`` makes the report and never raises what is not a fault of ours."""
        self._run = run
        self._waiting: queue.SimpleQueue[Tryout | None] = queue.SimpleQueue()
        self._known: OrderedDict[str, Tryout] = OrderedDict()
        self._changed = threading.Condition()
        self._threads = [
            threading.Thread(target=self._work, name=f"tryout-{number}", daemon=True)
            for number in range(1, max(1, workers // 2) + 1)
        ]
        for thread in self._threads:
            thread.start()

    def begin(self, user: int, problem: Problem, source: bytes, lines: str) -> str:
        """Have ``lines`` run beside ``source``; the token to ask for the result. TryoutRefused while another waits."""
        tryout = Tryout(user, problem, source, lines)
        with self._changed:
            self._forget_old()
            unfinished = [one for one in self._known.values() if one.report is None]
            if any(one.user == user for one in unfinished):
                raise TryoutRefused("tryout-busy")
            if len(unfinished) >= WAITING_MAX:
                raise TryoutRefused("queue-full", waiting=len(unfinished))
            self._known[tryout.token] = tryout
        self._waiting.put(tryout)
        return tryout.token

    def find(self, user: int, token: str, wait_s: float = 0.0) -> Tryout | None:
        """The user's scratch run of that token, waited for; None where there is none (any more)."""
        with self._changed:
            found = self._known.get(token)
            if found is None or found.user != user:
                return None
            self._changed.wait_for(lambda: found.report is not None, wait_s)
            return found

    def close(self) -> None:
        """Take no more up; what runs is ended with the pool."""
        for _ in self._threads:
            self._waiting.put(None)

    def _work(self) -> None:
        while (tryout := self._waiting.get()) is not None:
            try:
                report = self._run(tryout)
            except Exception:  # the one guard of a worker: it is our fault, and must not end the thread
                LOG.exception("scratch lines for %s failed", tryout.problem.slug)
                report = {"fault": "internal"}
            with self._changed:
                tryout.report = report
                self._changed.notify_all()

    def _forget_old(self) -> None:
        oldest_s = time.monotonic() - KEPT_S
        finished = [one for one in self._known.values() if one.report is not None]
        for number, one in enumerate(finished):
            if one.begun_s < oldest_s or number < len(finished) - KEPT_MAX:
                del self._known[one.token]
