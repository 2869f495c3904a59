"""Checks that judge: right solutions, stubs, known inputs alone, wrong solutions, limits."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from judge.authoring.jobs import (
    Bench,
    Job,
    observations,
    observing,
    right_answers,
    seeds,
    stubs,
    wrong_answers,
)
from judge.authoring.outcome import Check, Failure
from judge.authoring.texts import expected_key
from judge.grading.grade import Grade
from judge.problem import Problem
from judge.verdict import Verdict

SHARE_OF_LIMIT = 0.2
_TOO_SLOW = 1.5  # times its limit: a faster machine would accept what takes less
INPUTS_MAX_BYTES = 8_000_000
SLOWEST_SHOWN = 5
_PLACE = re.compile(r"tests/(\w+\.py)(?:\", line (\d+)|:(\d+))")
_NAMED = (Verdict.WA, Verdict.TLE, Verdict.MLE, Verdict.RE)


def check_solutions(bench: Bench, count: int) -> tuple[Check, list[Grade]]:
    """Every right solution is accepted with ``count`` seeds; the grades are for the checks after it."""
    check = Check("solutions", {"files": 0, "seeds": count, "cases": 0})
    sources = right_answers(bench.problem)
    jobs = [Job(path, source, seed) for path, source in sources.items() for seed in seeds(count)]
    first = bench.judge(jobs[0])
    if first.verdict is Verdict.SE:  # nor would any other be judged
        check.fail("not-judged", why=_first(first))
        return check, [first]
    grades = []
    told: set[tuple[str, str]] = set()
    for job, graded in [(jobs[0], first), *bench.judge_all(jobs[1:])]:
        grades.append(graded)
        if graded.verdict is not Verdict.AC and (job.name, why := _first(graded)) not in told:
            told.add((job.name, why))
            check.fail("not-accepted", file=job.name, seed=job.seed, why=why)
    check.figures |= {"files": len(sources), "cases": len(grades[0].cases)}
    return check, grades


def check_points(bench: Bench, graded: Grade) -> Check:
    """The points of each part are those of its cases, and each case has a title."""
    totals: dict[str, int] = defaultdict(int)
    for case in graded.cases:
        totals[case["part"]] += case["max_points"]
    check = Check("points", {"points": ", ".join(f"{part} {points}" for part, points in totals.items())})
    for part in bench.problem.parts:
        if part.points != totals[part.name]:
            check.fail("points", part=part.name, said=part.points, found=totals[part.name])
    names = {case["name"] for case in graded.cases}
    for lang in ("zh", "en"):
        titled = set(bench.problem.messages(lang).cases)
        for name in sorted(names - titled):
            check.fail("no-title", path=f"messages.{lang}.toml", case=name)
        for name in sorted(titled - names):
            check.fail("no-case", path=f"messages.{lang}.toml", case=name)
    return check


def check_stubs(bench: Bench) -> Check:
    """The starter and files that do nothing score nothing."""
    jobs = [Job(name, source, seeds(1)[0]) for name, source in stubs(bench.problem).items()]
    check = Check("stubs", {"files": len(jobs)})
    for job, graded in bench.judge_all(jobs):
        if graded.verdict is Verdict.SE or graded.score > 0:
            earned = ", ".join(case["name"] for case in graded.cases if case["points"])
            check.fail("stub-scores", file=job.name, score=graded.score, cases=earned or _first(graded))
        elif graded.load is not None and job.name == "starter.py":
            check.fail("starter-not-loaded", why=_first(graded))
    return check


def check_known_inputs(bench: Bench) -> Check:
    """A solution that knows the examples' inputs alone earns the examples' points and no others."""
    seed = seeds(1)[0]
    examples = bench.judge(Job("observer", observing(bench.problem), seed, mode="run"))
    known = {digest for digest, _ in observations(examples.cases)}
    graded = bench.judge(Job("known inputs", observing(bench.problem, known), seed))
    most = sum(case["max_points"] for case in graded.cases if case["group"] == "example")
    check = Check("known-inputs", {"earned": sum(case["points"] for case in graded.cases), "most": most})
    for case in graded.cases:
        if case["group"] != "example" and case["points"]:
            check.fail("known-inputs", case=case["name"])
    if examples.verdict is not Verdict.AC or not known:
        check.fail("not-observed", why=_first(examples))
    return check


def check_repeatable(bench: Bench) -> Check:
    """One seed gives the same inputs twice, or no score could be shown again; and the lines to try first run."""
    check = Check("repeatable")
    source, seed = observing(bench.problem), seeds(1)[0]
    first, second = (
        {case["name"]: observations([case]) for case in bench.judge(Job("observer", one, seed)).cases}
        for one in (source, source + b"# once more\n")
    )
    for name, seen in first.items():
        if seen != second.get(name):
            check.fail("not-repeatable", case=name)
    if lines := bench.problem.text("scratch.txt"):
        tried = bench.try_out(lines)
        if tried.verdict is not Verdict.AC:
            check.fail("scratch", why=_first(tried))
    return check


def check_wrong(bench: Bench, count: int) -> tuple[Check, list[Grade]]:
    """Every wrong solution is rejected with ``count`` seeds, and the first thing said about it is its own mistake."""
    sources = wrong_answers(bench.problem)
    check = Check("wrong", {"files": len(sources), "seeds": count})
    every: list[Grade] = []
    for judged in bench.side_by_side(lambda path: _reject(bench, path, sources[path], count), sources):
        told: set[str] = set()
        check.notes.append(_meeting(bench, *judged[0]))
        for job, graded in judged:
            every.append(graded)
            failure = _wrongly_judged(job, graded)
            if failure and failure[0] not in told:
                told.add(failure[0])
                check.fail(failure[0], file=job.name, seed=job.seed, expected=job.note, **failure[1])
    return check, every


def _reject(bench: Bench, path: str, source: bytes, count: int) -> list[tuple[Job, Grade]]:
    """Judgements of one wrong solution: with the first seed all that it meets, with the others the first thing."""
    first, *others = [Job(path, source, seed, note=expected_key(source)) for seed in seeds(count)]
    later = [replace(job, to_first_failure=True) for job in others]
    return [(first, bench.judge_until_rejected(first)), *((job, bench.judge(job)) for job in later)]


def _meeting(bench: Bench, job: Job, graded: Grade) -> Failure:
    """What a wrong solution meets first: a line of the report."""
    case = first_failure(graded) or {"name": "-", "verdict": graded.verdict, "mistake": None}
    key = case["mistake"] or "-"
    advice = {lang: bench.problem.messages(lang).advice.get(key, "") for lang in ("zh", "en")}
    return Failure(
        "meets",
        {
            "file": job.name,
            "case": case["name"],
            "verdict": str(case["verdict"]),
            "mistake": key,
            "advice": advice,
        },
    )


def first_failure(graded: Grade) -> dict[str, Any] | None:
    """The record of the first case that is not accepted, or None."""
    return next((case for case in graded.cases if case["verdict"] != Verdict.AC), None)


def _wrongly_judged(job: Job, graded: Grade) -> tuple[str, dict[str, Any]] | None:
    """What is wrong with how a wrong solution was judged: a failure's key and values."""
    if graded.load is not None or graded.verdict is Verdict.SE:
        return "wrong-not-loaded", {"why": _first(graded)}
    if graded.verdict is Verdict.AC:
        return "wrong-accepted", {}
    case = first_failure(graded)
    assert case is not None
    if case["mistake"] != job.note or case["verdict"] not in _NAMED:
        return "wrong-mistake", {
            "found": case["mistake"] or "-",
            "case": case["name"],
            "verdict": case["verdict"],
        }
    times = case["time_s"] / graded.limits.time_limit_s
    if case["verdict"] == Verdict.TLE and 1 < times < _TOO_SLOW:
        return "wrong-near", {"case": case["name"], "times": f"{times:.1f}"}
    return None


def check_advice(bench: Bench, grades: Iterable[Grade]) -> Check:
    """Every mistake that a judgement of this run named has advice in each language."""
    named = {case["mistake"] for graded in grades for case in graded.cases if case["mistake"]}
    check = Check("advice", {"keys": len(named)})
    for lang in ("zh", "en"):
        for key in sorted(named - set(bench.problem.messages(lang).advice)):
            check.fail("no-advice", key=key, where=f"messages.{lang}.toml")
    return check


def check_limits(bench: Bench, grades: Sequence[Grade]) -> Check:
    """No case needs more than a fifth of its time or memory, nor a judgement more than 8 MB of inputs."""
    check = Check("limits")
    limits = grades[0].limits
    most = {"time_s": 0.0, "memory_mib": 0.0}
    typical = typical_use(grades)
    check.notes = [
        Failure(
            "case-time",
            {"case": name, "time_ms": round(1000 * one["time_s"], 1), "memory_mib": round(one["memory_mib"])},
        )
        for name, one in sorted(typical.items(), key=lambda item: -item[1]["time_s"])[:SLOWEST_SHOWN]
    ]
    for name, figures in typical.items():
        for figure, limit in (
            ("time_s", limits.time_limit_s),
            ("memory_mib", float(limits.memory_limit_mib)),
        ):
            most[figure] = max(most[figure], figures[figure])
            if figures[figure] > SHARE_OF_LIMIT * limit:
                check.fail(
                    "near-limit", case=name, figure=figure, found=round(figures[figure], 4), limit=limit
                )
    observed = bench.judge(Job("observer", observing(bench.problem), seeds(1)[0]))
    size = sum(size for _, size in observations(observed.cases))
    if size > INPUTS_MAX_BYTES:
        check.fail("inputs", found=round(size / 1e6, 1), limit=INPUTS_MAX_BYTES / 1e6)
    check.figures = {
        "time_ms": round(1000 * most["time_s"], 1),
        "memory_mib": round(most["memory_mib"]),
        "inputs_mb": round(size / 1e6, 2),
    }
    return check


def slowest_s(problem: Problem, grades: Sequence[Grade]) -> float:
    """CPU seconds of the slowest case of the right solutions, as a machine of factor 1 would need."""
    factor = grades[0].limits.time_limit_s / problem.limits.time_limit_s
    return max((figures["time_s"] for figures in typical_use(grades).values()), default=0.0) / factor


def typical_use(grades: Sequence[Grade]) -> dict[str, dict[str, float]]:
    """By case the median time and memory over all accepted judgements: one slow moment of the machine is no finding."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for graded in grades:
        for case in graded.cases:
            if case["verdict"] == Verdict.AC:
                found[case["name"]].append(case)
    return {
        name: {
            figure: statistics.median(case[figure] for case in cases) for figure in ("time_s", "memory_mib")
        }
        for name, cases in found.items()
    }


def _first(graded: Grade) -> str:
    """The first thing that went wrong, for an author's eyes."""
    if graded.load is not None:
        where = f"line {graded.load['line']}" if graded.load["line"] else ""
        return " ".join(word for word in ("load:", graded.load["kind"], graded.load["entry"], where) if word)
    case = first_failure(graded)
    text = (
        f"{case['name']} {case['verdict']} {case['mistake'] or ''}".strip() if case else str(graded.verdict)
    )
    return f"{text}; {_last_fault(graded.faults)}" if graded.faults else text


def _last_fault(faults: Sequence[str]) -> str:
    """The error of the fault that says most, and the last line of a case file that it names."""
    fault = max(faults, key=lambda one: len(one.splitlines()))
    places = _PLACE.findall(fault)
    error = fault.strip().splitlines()[-1].removeprefix("E ").strip()
    return f"tests/{places[-1][0]}:{places[-1][1] or places[-1][2]}: {error}" if places else error
