"""Where submissions are judged, as a server sees it: in its own processes, or by a grader behind a socket."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

from judge.problem import Problem

if TYPE_CHECKING:
    from judge.grading.grade import Grade
    from judge.grading.grader import Grader
    from sandbox.pool import Pool

ATTEMPTS = 3  # a fault of ours is tried again by itself
SOURCE_MAX_BYTES = 128 << 10  # of one submission
LINES_MAX_CHARS = 16 << 10  # of scratch lines
Mode = Literal["run", "submit", "scratch"]
OnStart = Callable[[int], None]
OnCase = Callable[[dict[str, Any]], None]


class NotGraded(Exception):
    """Nothing was judged, and trying again would not help. ``key`` names the line for the reader in the table fault."""

    def __init__(self, key: str, why: str) -> None:
        super().__init__(why)
        self.key = key


class Grading(Protocol):
    """Judges submissions. Thread-safe: ``size`` of them side by side."""

    @property
    def backend(self) -> str:
        """The sandbox backend in use."""

    @property
    def protections(self) -> Mapping[str, str]:
        """What it protects with, by name."""

    @property
    def size(self) -> int:
        """How many judgements it takes at a time."""

    def grade(
        self,
        problem: Problem,
        source: bytes,
        *,
        seed: str,
        mode: Mode,
        on_start: OnStart,
        on_case: OnCase,
        lines: str = "",
    ) -> Grade:
        """Judge ``source`` as `judge.grading.grade.grade` does; NotGraded where nothing could be judged."""


class OwnGrading:
    """A pool and a warm grader of this process."""

    def __init__(self, pool: Pool, grader: Grader) -> None:
        self._pool = pool
        self._grader = grader

    @property
    def backend(self) -> str:
        """See Grading."""
        return self._pool.backend

    @property
    def protections(self) -> Mapping[str, str]:
        """See Grading."""
        return self._pool.protections

    @property
    def size(self) -> int:
        """See Grading."""
        return self._pool.size

    def grade(
        self,
        problem: Problem,
        source: bytes,
        *,
        seed: str,
        mode: Mode,
        on_start: OnStart,
        on_case: OnCase,
        lines: str = "",
    ) -> Grade:
        """See Grading."""
        from judge.grading.grade import grade

        return grade(
            problem,
            source,
            grader=self._grader,
            seed=seed,
            mode=mode,
            on_start=on_start,
            on_case=on_case,
            lines=lines,
        )
