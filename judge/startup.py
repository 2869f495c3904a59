"""Starts what judges: a pool of zygotes and the warm grader. The server, the command line and doctor use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from judge.problem import Problem

if TYPE_CHECKING:
    from judge.grading.grade import Grader
    from sandbox.pool import Pool


@contextmanager
def open_grader(
    sandbox: str, size: int, *, spares: int = 1, problems: Sequence[Problem] = ()
) -> Iterator[tuple[Pool, Grader]]:
    """A pool of ``size`` zygotes and a started grader over it, both closed at the end.

    The cases of ``problems`` are collected before anybody asks.

    Raises NoBackend (one line a backend, why not) as `sandbox.pool.open_pool` does.
    """
    from judge.grading.grade import Grader
    from sandbox.pool import Settings, open_pool

    # Both import torch, and that takes seconds: the grader is started first and given its pool afterwards.
    grader = Grader(cast("Pool", None))
    try:
        grader.start()
        for problem in problems:
            grader.prepare(problem)
        with open_pool(sandbox, size=size, settings=Settings(spares=spares)) as pool:
            grader.pool = pool
            yield pool, grader
    finally:
        grader.close()
