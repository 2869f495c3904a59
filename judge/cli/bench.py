"""`judge bench`: measure this machine's judgements beside what others do, as a table or JSON."""

from __future__ import annotations

import json
from typing import Any

from judge.catalogue import UnknownProblem
from judge.cli.context import Context
from judge.cli.terminal import table
from judge.problem import Problem

Numbers = dict[str, Any]


def bench(context: Context) -> int:
    """Measure and show; 3 where a solution of our own is not accepted."""
    from judge.bench.judged import NotAccepted
    from judge.bench.run import FULL, QUICK
    from judge.bench.run import bench as measure

    effort = QUICK if context.args.quick else FULL
    try:
        found = measure(
            context.config.sandbox, _p189(context), effort, lambda what: context.note(f"bench-{what}")
        )
    except NotAccepted as error:
        context.note("fault", why=error)
        return 3
    if context.args.json:
        context.out.print(json.dumps(found, ensure_ascii=False, allow_nan=False))
    else:
        show(context, found)
    return 0


def _p189(context: Context) -> Problem | None:
    try:
        return context.catalogue.find("189")
    except UnknownProblem:
        return None


def show(context: Context, found: Numbers) -> None:
    """The figures as tables: the machine, each problem, the ratios with their aims, and why some are missing."""
    machine = found["machine"]
    context.say("bench-on", **machine, backend=found["backend"], zygotes=found["zygotes"])
    context.say(
        "bench-started", first=_seconds(found["start"]["first_verdict_s"]), mib=_number(found["zygote_mib"])
    )
    context.out.print()
    heads = ("problem", "p50", "p95", "floor", "over50", "over95", "per1", "per2", "per4", "cell")
    rows = [[context.text(f"bench-head-{head}") for head in heads]]
    rows += [_row(name, found[key]) for name, key in (("trivial", "trivial"), ("#189", "p189")) if found[key]]
    for row in table(rows):
        context.out.print(row)
    context.out.print()
    ratios = found["ratios"]
    for key in ("docker_run", "fresh_pytest", "floor_189"):
        shown = context.text("bench-unknown") if ratios[key] is None else f"{ratios[key]:.2f}"
        context.say(f"bench-{key.replace('_', '-')}", ratio=shown)
    for what, why in found["reasons"].items():
        context.note("bench-missing", what=what, why=why)


def _row(name: str, one: Numbers) -> list[str]:
    times = ("p50_s", "p95_s", "floor_p50_s", "overhead_p50_s", "overhead_p95_s")
    per_s = [_number(one["per_s"][clients]) for clients in ("1", "2", "4")]
    return [name, *(_seconds(one[key]) for key in times), *per_s, f"{one['cell_mib']:.0f} MiB"]


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value * 1000:.0f} ms"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
