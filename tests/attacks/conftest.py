"""One pool and one grader a backend for all attacks."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from judge.grading.grade import Grader
from sandbox.pool import NoBackend, Settings, open_pool
from tests.attacks.shooting import Range
from tests.attacks.site import Site
from tests.conftest import BOUNDED, missing

collect_ignore = ["problem", "cases"]  # judged by the tests, never collected


def opened(backend: str, settings: Settings, name: str = "") -> Iterator[Range]:
    """A range, begun by a process that has a secret in its environment."""
    secret = f"secret-{os.urandom(8).hex()}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUDGE_SECRET_KEY", secret)
        try:
            pool = open_pool(backend, size=1, settings=settings)
        except NoBackend as error:
            missing(str(error))
        with pool, Grader(pool) as grader:
            yield Range(grader, name or backend, secret)


@pytest.fixture(scope="session", params=BOUNDED)
def shooting_range(request: pytest.FixtureRequest) -> Iterator[Range]:
    """A range on each backend with a boundary, one after the other."""
    yield from opened(request.param, Settings(spares=1))


@pytest.fixture(scope="session", params=[1, 3], ids=["landlock-abi1", "landlock-abi3"])
def old_kernel(request: pytest.FixtureRequest) -> Iterator[Range]:
    """A range on the landlock backend with the means of older kernels."""
    settings = Settings(spares=1, max_landlock_abi=request.param)
    yield from opened("landlock", settings, f"landlock abi {request.param}")


@pytest.fixture(scope="session")
def site(shooting_range: Range, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The web site, judging on that range."""
    opened = Site(tmp_path_factory.mktemp(f"site-{shooting_range.backend}"), shooting_range)
    yield opened
    opened.close()
