"""Judgements by a warm pool and grader, as a server makes them: one after the other, and by several clients at a time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from judge.bench.measure import Numbers, quantile, timed
from judge.grading.grade import Grade, grade
from judge.problem import Problem
from judge.verdict import Verdict

if TYPE_CHECKING:
    from judge.grading.grader import Grader

CLIENTS = (1, 2, 4)


class NotAccepted(Exception):
    """The problem's own solution was not accepted: what is timed would not be a judgement."""


def once(problem: Problem, grader: Grader) -> Grade:
    """One judgement of the problem's solution; NotAccepted unless it is AC."""
    graded = grade(problem, problem.files["solution.py"], grader=grader)
    if graded.verdict is not Verdict.AC:
        raise NotAccepted(f"{problem.slug}: {graded.verdict}; {'; '.join(graded.faults)[:500]}")
    return graded


def timed_once(problem: Problem, grader: Grader) -> tuple[float, Grade]:
    """Wall seconds of one judgement, and what it came to."""
    found: list[Grade] = []
    seconds = timed(lambda: found.append(once(problem, grader)))
    return seconds, found[0]


def throughput(problem: Problem, grader: Grader, clients: int, seconds: float) -> float:
    """Judgements a second that ``clients`` get, each sending the next when it has its verdict."""
    deadline = time.perf_counter() + seconds

    def client(_: int) -> int:
        count = 0
        while time.perf_counter() < deadline:
            once(problem, grader)
            count += 1
        return count

    start = time.perf_counter()
    with ThreadPoolExecutor(clients) as threads:
        judged = sum(threads.map(client, range(clients)))
    return judged / (time.perf_counter() - start)


def phases_of(grades: list[Grade]) -> Numbers:
    """The median of each phase, in seconds."""
    names = sorted({name for one in grades for name in one.phases})
    return {name: round(quantile([one.phases.get(name, 0.0) for one in grades], 0.5), 6) for name in names}


def cell_of(grades: list[Grade]) -> Numbers:
    """What the cells used: CPU seconds over all cases (median), and MiB over the zygote (the most)."""
    cpu_s = quantile([sum(case["time_s"] for case in one.cases) for one in grades], 0.5)
    return {
        "cell_cpu_s": round(cpu_s, 6),
        "cell_mib": round(max(case["memory_mib"] for one in grades for case in one.cases), 1),
    }
