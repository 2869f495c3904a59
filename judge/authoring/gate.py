"""`judge check`: the gate that every problem passes before it is `ready`.

It proves the cases, not only the texts: right solutions are accepted whatever the seed, nothing is earned by doing
nothing, every wrong solution meets its own advice first, and small changes of the solution are noticed.
"""

from __future__ import annotations

import json as jsonlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.authoring import judged, mutate, texts
from judge.authoring.cache import Cache
from judge.authoring.jobs import Bench
from judge.authoring.outcome import Check
from judge.authoring.words import describe, say
from judge.grading.grade import Grader
from judge.problem import Problem, ProblemError, refresh
from judge.startup import open_grader

FORMAT = 1
WORKERS = 2
SIDE_BY_SIDE = (
    2  # problems at a time: while one makes its mutations or waits for a last case, the other judges
)
WATCH_EVERY_S = 0.5
pause = time.sleep


@dataclass(frozen=True)
class Effort:
    """How much the gate does: seeds for right and for wrong solutions, and mutations."""

    right_seeds: int = 20
    wrong_seeds: int = 5
    mutations: int = mutate.MUTATIONS_MAX


FULL, QUICK = Effort(), Effort(right_seeds=3, wrong_seeds=1, mutations=40)


@dataclass(frozen=True)
class Manner:
    """How the gate is run and told: what `judge check` was asked for."""

    json: bool = False
    quick: bool = False
    lang: str = "zh"
    verbose: bool = False
    watch: bool = False
    workers: int = WORKERS
    data: Path | None = None  # the folder that remembers judgements; None remembers none


def main(problems: list[Problem], sandbox: str, manner: Manner) -> int:
    """Checks ``problems`` and prints a report for each (``json``: one object a line); 0 when all pass, else 1.

    Raises NoBackend when nothing can be judged here, UserError when cosmic-ray is missing.
    """
    if any(problem.status == "ready" for problem in problems):
        mutate.mutations("x = 1\n")  # a missing package is told at once, not after minutes
    with ExitStack() as stack:
        cache = stack.enter_context(Cache(manner.data)) if manner.data else None
        _, grader = stack.enter_context(
            open_grader(sandbox, manner.workers, problems=problems[:SIDE_BY_SIDE])
        )
        passed = _check_all(problems, grader, cache, manner)
        if manner.watch:
            _watch(problems, grader, cache, manner)
    return 0 if passed else 1


def _check_all(problems: list[Problem], grader: Grader, cache: Cache | None, manner: Manner) -> bool:
    """Whether all pass. One problem is told check by check, several each as a whole when it is done."""

    def check(problem: Problem) -> tuple[dict[str, Any], list[str]]:
        told = [] if manner.json else [problem.label_in(manner.lang)]

        def tell(check: Check) -> None:
            told.extend([] if manner.json else describe(check, manner.lang, manner.verbose))
            if len(problems) == 1:
                _print(told)

        report = examine(problem, grader, QUICK if manner.quick else FULL, tell, cache)
        ending = "gate.passed" if report["passed"] else "gate.failed"
        if manner.json:
            told.append(
                jsonlib.dumps(
                    {**report, "backend": grader.pool.backend, "quick": manner.quick}, ensure_ascii=False
                )
            )
        else:
            told.append(say(ending, manner.lang, **report["figures"]))
        return report, told

    passed = True
    with ThreadPoolExecutor(SIDE_BY_SIDE) as threads:
        for report, told in threads.map(check, problems):
            passed &= report["passed"]
            _print(told)
    return passed


def _print(told: list[str]) -> None:
    """Prints the lines and forgets them."""
    for line in told:
        print(line)
    told.clear()
    sys.stdout.flush()


def _watch(problems: list[Problem], grader: Grader, cache: Cache | None, manner: Manner) -> None:
    """Checks each problem again when a file of it was saved, until Ctrl+C; what did not change is remembered."""
    known, complaints = list(problems), dict.fromkeys(range(len(problems)), "")
    print(say("gate.watching", manner.lang), file=sys.stderr)
    try:
        while True:
            pause(WATCH_EVERY_S)
            for place, problem in enumerate(known):
                try:
                    known[place] = refresh(problem)
                except ProblemError as error:  # half saved, or a slip: said once, then waited for
                    if complaints[place] != str(error):
                        print(error, file=sys.stderr)
                    complaints[place] = str(error)
                    continue
                complaints[place] = ""
                if known[place] is not problem:
                    _check_all([known[place]], grader, cache, manner)
    except KeyboardInterrupt:
        print(file=sys.stderr)


def examine(
    problem: Problem,
    grader: Grader,
    effort: Effort,
    tell: Callable[[Check], None],
    cache: Cache | None = None,
) -> dict[str, Any]:
    """All checks of one problem as a report; ``tell`` is given each as soon as it is made."""
    start = time.perf_counter()
    bench = Bench(problem, grader, cache)
    checks = []
    for check in _checks(bench, effort):
        tell(check)
        checks.append(check)
    figures = {
        "judgements": bench.made,
        "remembered": bench.remembered,
        "median_ms": round(1000 * statistics.median(bench.seconds)) if bench.seconds else 0,
        "total_s": round(time.perf_counter() - start),
        "label": problem.label,
        "failed": sum(not check.passed for check in checks),
    }
    return {
        "format": FORMAT,
        "problem": problem.number,
        "slug": problem.slug,
        "status": problem.status,
        "problem_version": problem.version,
        "passed": all(check.passed for check in checks),
        "figures": figures,
        "checks": [check.as_json() for check in checks],
    }


def _checks(bench: Bench, effort: Effort) -> Iterator[Check]:
    """The checks in order. Without an accepted solution the others would say nothing, so they are left out."""
    problem = bench.problem
    yield texts.check_texts(problem)
    yield texts.check_files(problem)
    solutions, grades = judged.check_solutions(bench, effort.right_seeds)
    yield solutions
    if not solutions.passed:
        return
    yield judged.check_points(bench, grades[0])
    yield judged.check_stubs(bench)
    yield judged.check_known_inputs(bench)
    yield judged.check_repeatable(bench)
    wrong, wrong_grades = judged.check_wrong(bench, effort.wrong_seeds)
    yield wrong
    if problem.status == "draft":
        return
    yield judged.check_limits(bench, grades)
    slowest_s = judged.slowest_s(problem, grades)
    mutations, mutation_grades = mutate.check_mutations(bench, slowest_s, effort.mutations)
    yield mutations
    yield judged.check_advice(bench, [*wrong_grades, *mutation_grades])
