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
from dataclasses import dataclass
from typing import Any

from judge.authoring import judged, mutate, texts
from judge.authoring.jobs import WIDTH, Bench
from judge.authoring.outcome import Check
from judge.authoring.words import describe, say
from judge.grading.grade import Grader
from judge.problem import Problem
from judge.startup import open_grader

FORMAT = 1


@dataclass(frozen=True)
class Effort:
    """How much the gate does: seeds for right and for wrong solutions, and mutations."""

    right_seeds: int = 20
    wrong_seeds: int = 5
    mutations: int = mutate.MUTATIONS_MAX


FULL, QUICK = Effort(), Effort(right_seeds=2, wrong_seeds=1, mutations=40)


def main(problems: list[Problem], *, sandbox: str, json: bool, quick: bool, lang: str) -> int:
    """Checks ``problems`` and prints a report for each (``json``: one object a line); 0 when all pass, else 1.

    Raises NoBackend when nothing can be judged here, UserError when cosmic-ray is missing.
    """
    if any(problem.status == "ready" for problem in problems):
        mutate.mutations("x = 1\n")  # a missing package is told at once, not after minutes
    passed = True
    with open_grader(sandbox, WIDTH, problems=problems) as (pool, grader):
        for problem in problems:
            report = examine(problem, grader, QUICK if quick else FULL, _teller(json, lang, problem))
            passed &= report["passed"]
            if json:
                print(jsonlib.dumps({**report, "backend": pool.backend, "quick": quick}, ensure_ascii=False))
            else:
                print(say("gate.passed" if report["passed"] else "gate.failed", lang, **report["figures"]))
            sys.stdout.flush()
    return 0 if passed else 1


def examine(
    problem: Problem, grader: Grader, effort: Effort, tell: Callable[[Check], None]
) -> dict[str, Any]:
    """All checks of one problem as a report; ``tell`` is given each as soon as it is made."""
    start = time.perf_counter()
    bench = Bench(problem, grader)
    checks = []
    for check in _checks(bench, effort):
        tell(check)
        checks.append(check)
    figures = {
        "judgements": len(bench.seconds),
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
    wrong, wrong_grades = judged.check_wrong(bench, effort.wrong_seeds)
    yield wrong
    if problem.status == "draft":
        return
    yield judged.check_limits(bench, grades)
    mutations, mutation_grades = mutate.check_mutations(bench, effort.mutations)
    yield mutations
    yield judged.check_advice(bench, [*wrong_grades, *mutation_grades])


def _teller(json: bool, lang: str, problem: Problem) -> Callable[[Check], None]:
    if not json:
        print(problem.label_in(lang), flush=True)

    def tell(check: Check) -> None:
        if not json:
            print("\n".join(describe(check, lang)), flush=True)

    return tell
