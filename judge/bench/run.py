"""The whole measurement: the machine, a trivial problem and #189, with what others do interleaved in the same run.

Judgements, the floor and the rest take turns, so that a busy moment of the machine meets all of them: the ratios hold
where the seconds do not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.bench import judged, others
from judge.bench.measure import Numbers, quantile, summary
from judge.bench.others import Container, Floor, Unknown
from judge.grading.grader import Grader
from judge.problem import Problem, load_problem
from judge.startup import open_grader
from sandbox.pool import Pool

TRIVIAL = Path(__file__).with_name("trivial")
Say = Callable[[str], None]


@dataclass(frozen=True)
class Effort:
    """How often each thing is done."""

    rounds: int  # judgements of each problem, each beside a pass of the floor
    slow_rounds: int  # fresh interpreters and containers
    throughput_s: float  # for each number of clients


_WARM_LIMIT_S = 60.0
_SETTLE_S = 0.4  # by then the process for the next judgement is made: beside no pass, and nobody waits for it
FULL, QUICK = Effort(40, 5, 6.0), Effort(6, 1, 1.0)


def bench(sandbox: str, p189: Problem | None, effort: Effort, say: Say = lambda _: None) -> Numbers:
    """All figures, as ``judge bench --json`` has them. ``say`` is told what is measured now (a key of the lines).

    Raises NoSandbox; NotAccepted where a solution of ours is not accepted.
    """
    say("machine")
    found: Numbers = {"format": 1, "machine": others.machine(), "reasons": {}}
    reasons: dict[str, str] = found["reasons"]
    trivial = load_problem(TRIVIAL)
    say("start")
    started = time.perf_counter()
    with open_grader(sandbox, max(judged.CLIENTS), spares=0, problems=[trivial]) as (pool, grader):
        judged.once(trivial, grader)
        found["start"] = {"first_verdict_s": round(time.perf_counter() - started, 3)}
        pool.wait_warm(_WARM_LIMIT_S)  # what starts takes processors from what is measured
        found |= {"backend": pool.backend, "zygotes": pool.size, "zygote_mib": _zygote_mib(pool)}
        say("trivial")
        found["trivial"] = _problem(trivial, grader, effort, reasons)
        say("p189")
        if p189 is None:
            found["p189"], reasons["p189"] = None, "the bank has no problem 189"
        else:
            found["p189"] = _problem(p189, grader, effort, reasons)
    say("others")
    found["others"] = _others(trivial, effort, reasons)
    found["ratios"] = ratios(found)
    return found


def ratios(found: Numbers) -> dict[str, float | None]:
    """How many times longer the others take for the trivial problem, and #189 by its floor; None where unknown."""
    own, others_, p189 = found["trivial"]["p50_s"], found["others"], found["p189"]

    def over(seconds: float | None) -> float | None:
        return None if seconds is None else round(seconds / own, 2)

    floor_s = p189 and p189["floor_p50_s"]
    return {
        "docker_run": over(others_["docker_run_s"]),
        "fresh_pytest": over(others_["fresh_pytest_s"]),
        "floor_189": round(p189["p50_s"] / floor_s, 3) if floor_s else None,
    }


def _zygote_mib(pool: Pool) -> float | None:
    rss_mib = pool.facts.get("rss_mib")
    return None if rss_mib is None else round(float(rss_mib), 1)


def _problem(problem: Problem, grader: Grader, effort: Effort, reasons: dict[str, str]) -> Numbers:
    """One problem's figures: alternately a judgement and a pass of the floor, then the throughput."""
    seconds, grades, floors = [], [], []
    with ExitStack() as stack:
        floor = stack.enter_context(Floor(problem))
        for _ in range(2):  # templates and processes warm up
            judged.once(problem, grader)
        for _ in range(effort.rounds):
            one_s, graded = judged.timed_once(problem, grader)
            seconds.append(one_s)
            grades.append(graded)
            time.sleep(_SETTLE_S)
            floors.append(_floor_s(floor, reasons))
    known = [one for one in floors if one is not None]
    overhead = [a - b for a, b in zip(seconds, floors, strict=True) if b is not None]
    return {
        **summary(seconds),
        "cases": len(grades[0].cases),
        "phases": judged.phases_of(grades),
        **judged.cell_of(grades),
        "floor_p50_s": round(quantile(known, 0.5), 6) if known else None,
        "overhead_p50_s": round(quantile(overhead, 0.5), 6) if overhead else None,
        "overhead_p95_s": round(quantile(overhead, 0.95), 6) if overhead else None,
        "per_s": _throughputs(problem, grader, effort),
    }


def _throughputs(problem: Problem, grader: Grader, effort: Effort) -> dict[str, float]:
    return {
        str(clients): round(judged.throughput(problem, grader, clients, effort.throughput_s), 2)
        for clients in judged.CLIENTS
    }


def _floor_s(floor: Floor, reasons: dict[str, str]) -> float | None:
    try:
        return floor.once()["wall_s"]
    except Unknown as why:
        reasons["floor"] = str(why)
        return None


def _others(problem: Problem, effort: Effort, reasons: dict[str, str]) -> Numbers:
    """Medians of a fresh interpreter and of a fresh container, each with pytest, for the trivial problem."""
    found: dict[str, Any] = {}
    ways: dict[str, Callable[[], Callable[[], float]]] = {
        "fresh_pytest": lambda: lambda: others.fresh_pytest(problem),
        "docker_run": lambda: _container(problem),
    }
    for name, prepare in ways.items():
        try:
            once = prepare()
            found[f"{name}_s"] = round(quantile([once() for _ in range(effort.slow_rounds)], 0.5), 6)
        except Unknown as why:
            found[f"{name}_s"] = None
            reasons[name] = str(why)
    return found


def _container(problem: Problem) -> Callable[[], float]:
    container = Container()
    container.once(problem)  # the first start of an image reads it from the disk
    return lambda: container.once(problem)
