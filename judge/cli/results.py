"""A judgement at the command line: one JSON object, or lines for a human with what failed first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from judge.cli.context import Context
from judge.cli.failures import SIGNS, Case, colour, show_failures, titled
from judge.grading.disclose import disclose
from judge.grading.report import PHASES
from judge.problem import Problem
from judge.tally import NOT_RUN, failing_kinds
from judge.words import localise, verdict_word

CASE_FIELDS = ("name", "group", "part", "verdict", "points", "max_points", "mistake", "time_s", "memory_mib")


@dataclass(frozen=True)
class Judged:
    """One file's report, disclosed at the configured level and in words."""

    file: str
    problem: Problem
    report: dict[str, Any]
    message: str | None  # about the whole: why it could not be loaded, what failed of ours

    @property
    def verdict(self) -> str:
        """The shown verdict's code."""
        return str(self.report["verdict"])


def put_into_words(context: Context, file: str, problem: Problem, report: dict[str, Any]) -> Judged:
    """What of a report may be shown, in the reader's language."""
    shown = localise(disclose(report, context.config.level), problem, context.lang)
    return Judged(file, problem, shown, shown.get("message"))


def as_json(judged: Judged) -> dict[str, Any]:
    """The object of ``--json``, format 1; the seed is null below level full."""
    report = judged.report
    cases = [
        {**{name: case[name] for name in CASE_FIELDS}, "message": _sentence(case)} for case in report["cases"]
    ]
    return {
        "format": 1,
        "problem": judged.problem.number,
        "slug": judged.problem.slug,
        "file": judged.file,
        "verdict": judged.verdict,
        "score": report["score"],
        "problem_version": report["problem_version"],
        "seed": report.get("seed"),
        "time_s": _time_s(judged),
        "cases": cases,
    }


def show(context: Context, judged: Judged, verbose: bool = False) -> None:
    """Failed cases with advice, then message; then what passed, by part; the verdict last, where the eye rests."""
    out = context.out
    out.print(out.style(f"{judged.problem.label_in(context.lang)}  {judged.file}", "bold"))
    cases: list[Case] = judged.report["cases"]
    if judged.message and (judged.report["load"] or judged.verdict in ("SE", "SKIP")):
        out.print(out.wrap(judged.message, "  "))
    show_failures(
        context, [case for case in cases if case["verdict"] not in ("AC", "SKIP") and case["ran"]], verbose
    )
    _show_rest(context, judged.problem, [] if judged.report["load"] else cases, verbose)
    _show_not_run(
        context, judged, [case for case in cases if not case["ran"] and case["verdict"] not in ("AC", "SKIP")]
    )
    _show_time(context, judged)
    _show_verdict(context, judged)


def _show_rest(context: Context, problem: Problem, cases: list[Case], verbose: bool) -> None:
    out = context.out
    titles = {part.name: part.title.get(context.lang, part.name) for part in problem.parts}
    for part in dict.fromkeys(case["part"] for case in cases):
        of_part = [case for case in cases if case["part"] == part]
        passed = [case for case in of_part if case["verdict"] == "AC"]
        points = sum(case["points"] for case in of_part)
        most = sum(case["max_points"] for case in of_part)
        line = context.text(
            "part",
            part=titles.get(part, part),
            passed=len(passed),
            total=len(of_part),
            points=_number(points),
            most=_number(most),
        )
        whole = len(passed) == len(of_part)
        out.print(f"{out.style('✓', 'green') if whole else '·'} {line}")
        for case in [case for case in of_part if case["verdict"] in ("AC", "SKIP")] if verbose else []:
            time_ms = context.text("milliseconds", ms=round(1000 * case["time_s"]))
            out.print(f"    {SIGNS[case['verdict']]} {case['verdict']}  {titled(context, case)}  {time_ms}")


def _show_not_run(context: Context, judged: Judged, cases: list[Case]) -> None:
    """How many were not run and, where no message says so yet, why."""
    if not cases:
        return
    if judged.report["load"]:
        return context.say("not-run", count=len(cases))
    word = verdict_word(cases[0]["verdict"], context.lang)
    context.out.print(context.out.wrap(context.text("not-run-why", count=len(cases), word=word), ""))


def _show_time(context: Context, judged: Judged) -> None:
    """Where the time went, phase by phase; what took less than half a millisecond is left out."""
    spent = {name: judged.report["phases"].get(name, 0.0) for name in PHASES}
    parts = [
        f"{context.text('phase-' + name.removesuffix('_s'))} {seconds:.3f}"
        for name, seconds in spent.items()
        if seconds >= 0.0005
    ]
    if parts:
        line = context.text("time-spent", total=f"{sum(spent.values()):.3f}", parts=" + ".join(parts))
        context.out.print(context.out.style(line, "dim"))


def _show_verdict(context: Context, judged: Judged) -> None:
    out, verdict = context.out, judged.verdict
    cases = judged.report["cases"]
    word = out.style(f"{verdict} {verdict_word(verdict, context.lang)}", colour(verdict), "bold")
    passed = sum(case["verdict"] == "AC" for case in cases)
    counts = context.text("counts", passed=passed, total=len(cases), time_s=f"{_time_s(judged):.2f}")
    score = (
        context.text("score", score=_number(judged.report["score"])) if verdict not in ("SE", "SKIP") else ""
    )
    out.print("  ".join(part for part in (word, score, counts) if part))
    kinds = [_kind(context, *one) for one in failing_kinds(cases)]
    if kinds:
        out.print(f"  {' · '.join(kinds)}")


def _kind(context: Context, verdict: str, count: int) -> str:
    if verdict == NOT_RUN:
        return context.text("kind-not-run", count=count)
    return context.text("kind", word=verdict_word(verdict, context.lang), count=count)


def _sentence(case: Case) -> str:
    return " ".join(part for part in (case.get("advice"), case.get("message")) if part)


def _time_s(judged: Judged) -> float:
    time_s: float = sum(case["time_s"] for case in judged.report["cases"])
    return round(time_s, 6)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
