"""Shared by all tests: what a missing service means, waiting, and how many attacks were defeated."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable

import pytest

BOUNDED = [pytest.param("docker", marks=pytest.mark.docker), "namespace", "landlock"]
"""The sandbox backends that hold a submission back, in the order of `auto`."""

BACKENDS = [*BOUNDED, "process"]
every_backend = pytest.mark.parametrize("grader", BOUNDED, indirect=True, scope="session")
"""For tests of the judge whose outcome is the sandbox's doing; the others run on one backend."""


ATTACK = "attack on"
"""The property of a test that makes an attack; its value is the backend."""


def missing(what: str) -> None:
    """Skip and say why; in strict form (CI, JUDGE_TEST_STRICT=1) a missing service is a failure."""
    if os.environ.get("JUDGE_TEST_STRICT") == "1":
        pytest.fail(f"strict run: {what}")
    pytest.skip(what)


def eventually(holds: Callable[[], bool], limit_s: float = 30.0) -> bool:
    """Whether it comes to hold in time."""
    deadline = time.monotonic() + limit_s
    while not (held := holds()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return held


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how many attacks were defeated on each backend; the reports also come from xdist's workers."""
    made: Counter[str] = Counter()
    defeated: Counter[str] = Counter()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            if (backend := dict(report.user_properties).get(ATTACK)) is not None:
                made[backend] += 1
                defeated[backend] += outcome == "passed"
    for backend in sorted(made):
        terminalreporter.write_line(f"attacks: {defeated[backend]} of {made[backend]} defeated on {backend}")
