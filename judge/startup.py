"""Starts what judges: a pool of zygotes and the warm grader. The server, the command line and doctor use it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judge.grading.grade import Grader
    from sandbox.pool import Pool


@contextmanager
def open_grader(sandbox: str, size: int) -> Iterator[tuple[Pool, Grader]]:
    """A pool of ``size`` zygotes and a started grader over it, both closed at the end.

    Raises NoBackend (one line a backend, why not) and SandboxFault as `sandbox.pool.open_pool` does.
    """
    from judge.grading.grade import Grader
    from sandbox.pool import open_pool

    pool = open_pool(sandbox, size=size)
    try:
        with Grader(pool) as grader:
            yield pool, grader
    finally:
        pool.close()
