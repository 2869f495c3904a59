"""Submissions that the gate judges, and the bench that judges many of them side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from judge.authoring.cache import Cache, grade_of, key_of, record_of
from judge.grading.grade import Grade, Grader, grade
from judge.problem import Problem
from judge.verdict import Verdict
from sandbox.contract import Limits

Item = TypeVar("Item")
Result = TypeVar("Result")

OBSERVER = Path(__file__).with_name("observer.py")
OBSERVED = "@observed"

STUBS = {
    "pass": "pass",
    "None": "return None",
    "{}": "return {}",
    "[]": "return []",
    "0": "return 0",
    "first argument": "return args[0] if args else None",
    "last argument": "return args[-1] if args else None",
    "all arguments": "return args",
}


@dataclass(frozen=True)
class Job:
    """One judgement to make: the source of ``name`` with ``seed``."""

    name: str
    source: bytes
    seed: str
    mode: Literal["run", "submit"] = "submit"
    only: tuple[str, ...] | None = None
    note: Any = None  # whatever the check wants to find again beside the grade
    to_first_failure: bool = False


@dataclass
class Bench:
    """Judges jobs of one problem, as many at a time as its grader's pool has zygotes; ``cache`` remembers them."""

    problem: Problem
    grader: Grader
    cache: Cache | None = None
    seconds: list[float] = field(default_factory=list)  # wall time of each judgement of all cases
    made: int = 0
    remembered: int = 0  # judgements that the cache had

    def judge(self, job: Job, limits: Limits | None = None) -> Grade:
        """One judgement, made now or remembered; ``limits`` in place of the problem's."""
        problem = self.problem if limits is None else replace(self.problem, limits=limits)
        key = key_of(problem, job, self.grader.pool.backend)
        record = None if self.cache is None else self.cache.get(key)
        if record is not None:
            self.remembered += 1
            return grade_of(problem, job, record, self.grader.pool.backend)
        graded = self._judge_now(problem, job)
        record = record_of(graded)
        if self.cache is not None and record is not None and graded.problem is problem:
            self.cache.put(key, record)
        return graded

    def _judge_now(self, problem: Problem, job: Job) -> Grade:
        self.made += 1
        start = time.perf_counter()
        graded = grade(
            problem,
            job.source,
            grader=self.grader,
            seed=job.seed,
            mode=job.mode,
            only=job.only,
            to_first_failure=job.to_first_failure,
        )
        if job.mode == "submit" and job.only is None and not job.to_first_failure:
            self.seconds.append(time.perf_counter() - start)
        return graded

    def try_out(self, lines: str) -> Grade:
        """The problem's solution with ``lines`` as a learner may try them, told as a judgement of one case."""
        self.made += 1
        solution = self.problem.files["solution.py"]
        return grade(self.problem, solution, grader=self.grader, mode="scratch", lines=lines)

    def judge_until_rejected(self, job: Job) -> Grade:
        """The examples first, and all cases only if those are accepted: what is wrong mostly shows early."""
        examples = self.judge(replace(job, mode="run"))
        return examples if examples.verdict is not Verdict.AC else self.judge(job)

    def judge_all(
        self, jobs: Iterable[Job], how: Callable[[Job], Grade] | None = None
    ) -> Iterator[tuple[Job, Grade]]:
        """Every job with its grade, in the given order; ``how`` defaults to `judge`."""
        jobs = list(jobs)
        yield from zip(jobs, self.side_by_side(how or self.judge, jobs), strict=True)

    def side_by_side(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """``function`` of each item, a pool's width at a time, in the given order."""
        with ThreadPoolExecutor(self.grader.pool.size) as threads:
            yield from threads.map(function, items)


def seeds(count: int) -> list[str]:
    """The gate's own seeds: the same each time, so that what it says can be repeated."""
    return [f"gate-{number}" for number in range(count)]


def right_answers(problem: Problem) -> dict[str, bytes]:
    """``solution.py`` and ``solutions/*.py`` by path."""
    others = {path: text for path, text in problem.files.items() if _is_in("solutions", path)}
    return {"solution.py": problem.files["solution.py"], **dict(sorted(others.items()))}


def wrong_answers(problem: Problem) -> dict[str, bytes]:
    """``mutants/*.py`` by path."""
    return {path: text for path, text in sorted(problem.files.items()) if _is_in("mutants", path)}


def _is_in(folder: str, path: str) -> bool:
    return path.startswith(f"{folder}/") and path.count("/") == 1 and path.endswith(".py")


def stubs(problem: Problem) -> dict[str, bytes]:
    """The starter, and files whose entry points do nothing or hand something back."""
    made = {
        name: "\n".join(f"def {entry}(*args, **kwargs):\n    {body}\n" for entry in problem.entry_points)
        for name, body in STUBS.items()
    }
    return {"starter.py": problem.files["starter.py"], **{name: text.encode() for name, text in made.items()}}


def observing(problem: Problem, answered: Collection[str] | None = None) -> bytes:
    """The solution within the observer; with ``answered`` it knows only the inputs with these digests."""
    known = None if answered is None else sorted(answered)
    return "\n".join(
        (
            OBSERVER.read_text(encoding="utf-8"),
            f"exec(compile({problem.solution!r}, 'solution.py', 'exec', dont_inherit=True), globals())",
            f"install(globals(), {list(problem.entry_points)!r}, {known!r})\n",
        )
    ).encode()


def observations(cases: Sequence[dict[str, Any]]) -> list[tuple[str, int]]:
    """Digest and bytes of the inputs of each call that an observing solution told about."""
    found = []
    for case in cases:
        for text in case["detail"].get("stdout", "").splitlines():
            match text.split():
                case [mark, digest, size] if (
                    mark == OBSERVED and size.isdigit()
                ):  # a long output's last line is cut
                    found.append((digest, int(size)))
    return found
