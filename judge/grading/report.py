"""What a judgement came to, and its report: one versioned, language-free JSON object."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from judge import VERSION
from judge.problem import Problem
from judge.verdict import Verdict, overall
from sandbox.contract import Limits

FORMAT = 1
PHASES = ("queued_s", "start_s", "cell_s", "load_s", "cases_s", "compare_s", "record_s")


def score_of(cases: Sequence[dict[str, Any]]) -> float:
    """The share of points that accepted cases earned, in percent to two decimals; skipped cases do not count."""
    counted = [case for case in cases if case["verdict"] != Verdict.SKIP]
    total = sum(case["max_points"] for case in counted)
    earned = sum(case["points"] for case in counted)
    return round(100 * earned / total, 2) if total else 0.0


@dataclass(frozen=True)
class Grade:
    """The result of `grade`; ``cases`` are records as in the report, before any disclosure level is applied."""

    problem: Problem
    mode: str
    seed: str
    verdict: Verdict
    cases: list[dict[str, Any]]
    limits: Limits
    backend: str
    protections: dict[str, str]
    load: dict[str, Any] | None = None
    versions: dict[str, str] = field(default_factory=dict)
    phases: dict[str, float] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)  # ours or the problem's; for the log, not in the report

    @property
    def score(self) -> float:
        """0 to 100; a judgement that is our own fault scores nothing."""
        return 0.0 if self.verdict is Verdict.SE else score_of(self.cases)

    def report(self) -> dict[str, Any]:
        """The report, format 1, with every detail: `judge.grading.disclose` decides what of it is shown."""
        return {
            "format": FORMAT,
            "problem": self.problem.number,
            "slug": self.problem.slug,
            "problem_version": self.problem.version,
            "mode": self.mode,
            "seed": self.seed,
            "verdict": str(self.verdict),
            "score": self.score,
            "limits": dataclasses.asdict(self.limits),
            "backend": self.backend,
            "protections": dict(self.protections),
            "versions": {**self.versions, "judge": VERSION},
            "phases": {name: self.phases.get(name, 0.0) for name in PHASES},
            "load": self.load,
            "cases": self.cases,
        }


def verdict_of(cases: Sequence[dict[str, Any]]) -> Verdict:
    """The verdict of a judgement from the records of its cases."""
    return overall(Verdict(case["verdict"]) for case in cases)
