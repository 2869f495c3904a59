"""One pool and one grader a backend for all attacks, and the count at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from judge.grading.grade import Grader
from sandbox.pool import NoBackend, Settings, open_pool
from tests.attacks.shooting import Range, defeated, made
from tests.attacks.site import Site
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


@pytest.fixture(scope="session")
def site(shooting_range: Range, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The web site, judging on that range."""
    opened = Site(tmp_path_factory.mktemp(f"site-{shooting_range.backend}"), shooting_range)
    yield opened
    opened.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how many were defeated."""
    for backend, count in made.items():
        terminalreporter.write_line(f"attacks: {defeated[backend]} of {count} defeated on {backend}")
