"""One pool and one grader a backend for all attacks, and the count at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from judge.grading.grade import Grader
from sandbox.pool import NoBackend, Settings, open_pool
from tests.attacks.shooting import Range, defeated, made
from tests.conftest import BOUNDED, missing

collect_ignore = ["problem", "cases"]  # judged by the tests, never collected


@pytest.fixture(scope="session", params=BOUNDED)
def shooting_range(request: pytest.FixtureRequest) -> Iterator[Range]:
    """A range on each backend with a boundary, one after the other."""
    try:
        pool = open_pool(request.param, size=1, settings=Settings(spares=1))
    except NoBackend as error:
        missing(str(error))
    with pool, Grader(pool) as grader:
        yield Range(grader)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how many were defeated."""
    for backend, count in made.items():
        terminalreporter.write_line(f"attacks: {defeated[backend]} of {count} defeated on {backend}")
