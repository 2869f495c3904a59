"""Starts what judges: a pool of zygotes and the warm grader. The server, the command line and doctor use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from judge.config import Config
from judge.lines import UserError, line
from judge.problem import Problem
from sandbox.backend import NoBackend

if TYPE_CHECKING:
    from judge.grading.grade import Grader
    from sandbox.canary import Finding
    from sandbox.pool import Pool


class NoSandbox(UserError):
    """Nothing can be judged here: no backend can be had, each with its reason."""

    status = 3

    def __init__(self, cause: NoBackend) -> None:
        super().__init__("no-sandbox", cause=cause)
        self._cause = cause

    def line(self, lang: str) -> str:
        return line("error.no-sandbox", lang, why="; ".join(self._cause.lines(lang)))


class Unsafe(UserError):
    """A canary submission could do what is forbidden: a server must not start on this sandbox."""

    status = 3

    def __init__(self, backend: str, escaped: Sequence[Finding]) -> None:
        super().__init__("unsafe", backend=backend)
        self.escaped = escaped

    def line(self, lang: str) -> str:
        what = "; ".join(finding.text(lang) for finding in self.escaped)
        return line("error.unsafe", lang, backend=self.values["backend"], what=what)


@contextmanager
def open_grader(
    sandbox: str, size: int, *, spares: int = 1, problems: Sequence[Problem] = ()
) -> Iterator[tuple[Pool, Grader]]:
    """A pool of ``size`` zygotes and a started grader over it, both closed at the end.

    The cases of ``problems`` are collected before anybody asks. Raises NoSandbox.
    """
    from judge.grading.grade import Grader
    from sandbox.pool import Settings, open_pool

    # Both import torch, and that takes seconds: the grader is started first and given its pool afterwards.
    grader = Grader(cast("Pool", None))
    try:
        grader.start()
        for problem in problems:
            grader.prepare(problem)
        try:
            pool = open_pool(sandbox, size=size, settings=Settings(spares=spares))
        except NoBackend as error:
            raise NoSandbox(error) from error
        with pool:
            grader.pool = pool
            yield pool, grader
    finally:
        grader.close()


class NoBoundary(UserError):
    """The settings let others than the person at this machine send code to a sandbox that holds nothing back."""


def refuse_if_unsafe(pool: Pool) -> None:
    """Raise Unsafe when a canary gets out of its cell; of the backend `process` nobody expects that it holds."""
    from sandbox.canary import run_canary

    if pool.backend == "process":
        return
    if escaped := run_canary(pool):
        raise Unsafe(pool.backend, escaped)


def refuse_without_boundary(config: Config, backend: str | None = None) -> None:
    """Raise NoBoundary when others than this machine's user could send code to a sandbox that isolates nothing.

    ``backend`` is the one chosen, None while only the setting is known.
    """
    if (backend or config.sandbox) == "process" and not config.serves_one_user:
        raise NoBoundary("no-boundary")
