"""Starts what judges: a pool of zygotes and the warm grader, or the way to a grader that has them.

The server, `judge grader`, the command line and doctor use it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from judge.config import Config
from judge.grading.seam import Grading, OwnGrading
from judge.lines import UserError, line
from judge.problem import Problem
from sandbox.backend import NoBackend

if TYPE_CHECKING:
    from judge.grading.grade import Grader
    from judge.remote.client import RemoteGrading
    from sandbox.canary import Finding
    from sandbox.pool import Pool

LOG = logging.getLogger(__name__)
SOON_S = 3.0  # a grader that takes longer to answer is waited for aloud
PREPARED = 4  # problems whose cases are collected before anybody asks


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
    sandbox: str,
    size: int,
    *,
    spares: int = 1,
    runtime: str = "",
    image: str = "",
    run_folder: str = "",
    problems: Sequence[Problem] = (),
) -> Iterator[tuple[Pool, Grader]]:
    """A pool of ``size`` zygotes and a started grader over it, both closed at the end.

    The cases of ``problems`` are collected before anybody asks; ``runtime``, ``image`` and ``run_folder`` are those of
    sandbox.backend.Settings. Raises NoSandbox.
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
            settings = Settings(spares=spares, runtime=runtime, image=image, run_folder=run_folder)
            pool = open_pool(sandbox, size=size, settings=settings)
        except NoBackend as error:
            raise NoSandbox(error) from error
        with pool:
            grader.pool = pool
            yield pool, grader
    finally:
        grader.close()


@contextmanager
def open_grading(config: Config, problems: Sequence[Problem]) -> Iterator[Grading]:
    """What a server judges with: the grader at ``config.grader``, or pool and grader of its own.

    ``problems`` are all that it offers. Raises NoSandbox, NoBoundary, Unsafe, or NoGrader where the other grader
    does not answer.
    """
    if config.grader is None:
        with open_own_grading(config, problems, one_user=config.serves_one_user) as grading:
            yield grading
        return
    remote = _reach(config.grader)
    for problem in remote.differing(problems):
        LOG.warning("the grader at %s has a different version of %s", config.grader, problem.slug)
    yield remote


def _reach(path: Path) -> RemoteGrading:
    """The grader at ``path``, waited for while it starts beside us, which is told where it takes long."""
    from judge.remote.client import NoGrader, RemoteGrading

    try:
        return RemoteGrading(path, SOON_S)
    except NoGrader as none:
        if none.key != "no-grader":
            raise
    LOG.warning("waiting for the grader at %s", path)
    return RemoteGrading(path)


@contextmanager
def open_own_grading(config: Config, problems: Sequence[Problem], *, one_user: bool) -> Iterator[OwnGrading]:
    """Pool and grader of this process, once a canary found the sandbox holding. Raises as open_grading does."""
    refuse_without_boundary(config.sandbox, one_user)
    opened = open_grader(
        config.sandbox,
        config.workers,
        runtime=config.docker_runtime,
        image=config.sandbox_image,
        run_folder=config.run_folder,
        problems=problems[:PREPARED],
    )
    with opened as (pool, grader):
        refuse_without_boundary(pool.backend, one_user)
        refuse_below_floor(pool, one_user)
        refuse_if_unsafe(pool)
        yield OwnGrading(pool, grader)


FLOOR = {"seccomp": ("allowlist",), "network": ("none", "no sockets"), "processes": ("none",)}
"""What cells must be held by where people log in, by name of the protection."""


class BelowFloor(UserError):
    """A protection that cells of strangers must have is missing here."""

    status = 3


class NoBoundary(UserError):
    """The settings let others than the person at this machine send code to a sandbox that holds nothing back."""


def refuse_if_unsafe(pool: Pool) -> None:
    """Raise Unsafe when a canary gets out of its cell; of the backend `process` nobody expects that it holds."""
    from sandbox.canary import run_canary

    if pool.backend == "process":
        return
    if escaped := run_canary(pool):
        raise Unsafe(pool.backend, escaped)


def refuse_below_floor(pool: Pool, one_user: bool) -> None:
    """Raise BelowFloor where others than this machine's user send code and a protection of cells is missing."""
    missing = [name for name, enough in FLOOR.items() if pool.protections.get(name, "") not in enough]
    if pool.protections.get("landlock") == "none" and pool.protections.get("boundary") == "process":
        missing.append("landlock")
    if missing and not one_user:
        raise BelowFloor("below-floor", backend=pool.backend, missing=", ".join(missing))


def refuse_without_boundary(backend: str, one_user: bool) -> None:
    """Raise NoBoundary when others than this machine's user could send code to a sandbox that isolates nothing."""
    if backend == "process" and not one_user:
        raise NoBoundary("no-boundary")
