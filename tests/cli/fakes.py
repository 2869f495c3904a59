"""Stand-ins for sandbox and grader, so that the command line is tested without a process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from judge.grading.report import Grade
from judge.problem import Problem
from judge.verdict import Verdict

TINY = Path(__file__).parents[1] / "judge" / "bank" / "tiny"
SECRET = "hidden-value"


@dataclass(frozen=True)
class Run:
    """What a run of the command line came to."""

    status: int
    out: str
    err: str


RunCli = Callable[..., Run]


def make_case(name: str, group: str, verdict: str, **more: Any) -> dict[str, Any]:
    """A case's record as a report has it."""
    points = 1 if group == "example" else 2
    return {
        "name": name,
        "group": group,
        "part": "add",
        "verdict": verdict,
        "points": points if verdict == "AC" else 0,
        "max_points": points,
        "mistake": "add-subtracts" if verdict == "WA" else None,
        "time_s": 0.0123,
        "memory_mib": 3.0,
        "ran": True,
        "facts": {"kind": "wrong", "field": "out", "aspects": []} if verdict == "WA" else {},
        "detail": {
            "got": f"{SECRET}-got",
            "inputs": [{"call": "add", "args": [f"{SECRET}-argument"], "kwargs": {}}],
            "stdout": f"{SECRET}\x1b[31m",
        },
        **more,
    }


class FakeGrading:
    """Stands for sandbox and grader: a source's first line names the verdict of its hidden case."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.opened: list[tuple[str, int]] = []

    @contextmanager
    def open_grader(self, sandbox: str, size: int, **_: Any) -> Iterator[tuple[Any, Any]]:
        self.opened.append((sandbox, size))
        yield SimpleNamespace(backend="fake"), object()

    def grade(self, problem: Problem, source: bytes, *, grader: object, seed: str | None, mode: str) -> Grade:
        self.calls.append({"source": source, "seed": seed, "mode": mode})
        verdict = source.split(b"\n")[0].decode()
        example = "WA" if verdict == "WA" else "AC"
        cases = [make_case("add-small", "example", example), make_case("add-random", "hidden", verdict)]
        return Grade(
            problem=problem,
            mode=mode,
            seed=seed or "5eed",
            verdict=Verdict(verdict),
            cases=cases if mode == "submit" else cases[:1],
            limits=problem.limits,
            backend="fake",
            protections={},
        )
