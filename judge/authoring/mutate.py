"""Mutations of the reference solution: small changes by cosmic-ray's operators, which some case should notice.

Its operators are used as a library. Those that insert or exchange variables are left out: they make nonsense rather
than mistakes.
"""

from __future__ import annotations

import ast
import random
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from judge.authoring.jobs import Bench, Job, seeds
from judge.authoring.outcome import Check, Failure
from judge.grading.grade import Grade
from judge.lines import UserError
from judge.problem import Problem
from judge.verdict import Verdict
from sandbox.contract import Limits

MUTATIONS_MAX = 200
KILLED_AT_LEAST = 0.95
TIMES_THE_SOLUTION = 5
CASE_AT_LEAST_S = 0.1  # below this, a busy machine would kill mutations in the cases' place
SURVIVORS = "survivors.toml"
_LEFT_OUT = ("VariableInserter", "VariableReplacer")


@dataclass(frozen=True)
class Mutation:
    """One change: the operator, the line before and after, and the whole mutated source."""

    operator: str
    line: int  # 1-based, of the first line that differs
    before: str
    after: str
    source: str


def mutations(source: str, most: int = MUTATIONS_MAX, seed: str = "gate") -> list[Mutation]:
    """At most ``most`` different mutations of ``source``, drawn by a fixed seed, in the order of the file.

    Changes that no run can show (in annotations, docstrings) are none. UserError when cosmic-ray is missing.
    """
    plain = _meaning(source)
    found: dict[str, Mutation] = {}
    for operator, mutated in _mutated(source):
        meaning = _meaning(mutated)
        if meaning is not None and meaning != plain:
            found.setdefault(meaning, _mutation(operator, source, mutated))
    drawn = list(found.values())
    if len(drawn) > most:
        drawn = random.Random(seed).sample(drawn, most)
    return sorted(drawn, key=lambda one: (one.line, one.operator, one.after))


def _mutated(source: str) -> Iterator[tuple[str, str]]:
    try:
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.operators.provider import OperatorProvider
    except ModuleNotFoundError as error:
        raise UserError("no-cosmic-ray") from error
    provider = OperatorProvider()
    for name in provider:
        if name in _LEFT_OUT:
            continue
        operator = provider[name]()
        occurrence = 0
        while (mutated := mutate_code(source, operator, occurrence)) is not None:
            yield name, mutated
            occurrence += 1


def _meaning(source: str) -> str | None:
    """The program without what does not run, as text to compare; None when it does not parse."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        for part in ("annotation", "returns"):
            if getattr(node, part, None) is not None:
                setattr(node, part, ast.Constant(None))
        body: Any = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            body[0] = ast.Pass()
    return ast.dump(tree)


def _mutation(operator: str, source: str, mutated: str) -> Mutation:
    old, new = source.splitlines(), mutated.splitlines()
    blocks = [
        block
        for block in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if block[0] != "equal"
    ]
    _, start, end, new_start, new_end = blocks[0]
    before, after = (" ".join(" ".join(part).split()) for part in (old[start:end], new[new_start:new_end]))
    return Mutation(operator, start + 1, before, after, mutated)


def excuses(problem: Problem) -> dict[tuple[str, str], str | dict[str, str]]:
    """Survivors that the author explains, by line before and after, from ``survivors.toml``.

    UserError when the file is not as it should be: ``[[survivor]]`` with ``before``, ``after`` and ``reason``.
    """
    text = problem.text(SURVIVORS)
    if text is None:
        return {}
    try:
        tables = tomllib.loads(text)
        entries = tables.pop("survivor", [])
        if tables:
            raise KeyError(f"it has no table {next(iter(tables))}; write [[survivor]]")
        return {
            (" ".join(one["before"].split()), " ".join(one["after"].split())): one["reason"]
            for one in entries
        }
    except (tomllib.TOMLDecodeError, KeyError, AttributeError, TypeError) as error:
        raise UserError("survivors", path=f"{problem.folder}/{SURVIVORS}", why=error) from error


def check_mutations(bench: Bench, slowest_s: float, most: int = MUTATIONS_MAX) -> tuple[Check, list[Grade]]:
    """At least 95 % of the mutations are noticed by some case; the others are explained in ``survivors.toml``.

    ``slowest_s`` is the CPU time of the solution's slowest case on a machine of factor 1.
    """
    drawn = mutations(bench.problem.solution, most)
    excused = excuses(bench.problem)
    limits = _limits(bench.problem, slowest_s)
    jobs = [
        Job(one.operator, one.source.encode(), seeds(1)[0], note=one, to_first_failure=True) for one in drawn
    ]
    judged = list(bench.judge_all(jobs, lambda job: bench.judge(job, limits)))
    survivors: list[Mutation] = [job.note for job, graded in judged if graded.verdict is Verdict.AC]
    unexplained = [one for one in survivors if (one.before, one.after) not in excused]
    killed, counted = len(drawn) - len(survivors), len(drawn) - len(survivors) + len(unexplained)
    percent = round(100 * killed / counted, 1) if counted else 100.0
    figures = {"made": len(drawn), "killed": killed, "excused": len(drawn) - counted, "percent": percent}
    check = Check("mutations", figures)
    if killed < KILLED_AT_LEAST * counted:
        check.fail("few-killed", percent=percent, least=round(100 * KILLED_AT_LEAST))
    for one in unexplained:
        check.fail("survivor", line=one.line, operator=one.operator, before=one.before, after=one.after)
    if len(drawn) < MUTATIONS_MAX and most == MUTATIONS_MAX:
        for before, after in _stale(excused, survivors):
            check.fail("stale-survivor", before=before, after=after)
    check.notes = [
        Failure("excused", {"line": one.line, "before": one.before, "after": one.after, "reason": reason})
        for one in survivors
        if (reason := excused.get((one.before, one.after)))
    ]
    return check, [graded for _, graded in judged]


def _limits(problem: Problem, slowest_s: float) -> Limits:
    """The problem's limits with a case's time cut to five times the solution's slowest: endless loops end early."""
    wanted_s = max(round(TIMES_THE_SOLUTION * slowest_s, 1), CASE_AT_LEAST_S)
    return replace(problem.limits, time_limit_s=min(problem.limits.time_limit_s, wanted_s))


def _stale(excused: Collection[tuple[str, str]], survivors: list[Mutation]) -> list[tuple[str, str]]:
    """Entries of ``survivors.toml`` that explain nothing any more."""
    return sorted(set(excused) - {(one.before, one.after) for one in survivors})
