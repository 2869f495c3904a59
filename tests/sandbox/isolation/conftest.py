"""The real backends, one after the other: each test of this folder runs on all that can be had."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pytest

from sandbox.client import ZygoteClient
from sandbox.contract import Limits, Program
from sandbox.pool import Pool, Settings, Zygote, open_pool
from sandbox.session import Session
from tests.conftest import BOUNDED
from tests.sandbox.isolation.cells import GENEROUS, OpenSession, Submit, backend_named


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test here runs on each backend; those marked ``boundary`` not on process, which has none."""
    chosen = [mark for mark in metafunc.definition.iter_markers("parametrize") if mark.args[0] == "backend"]
    if "backend" in metafunc.fixturenames and not chosen:
        bounded = metafunc.definition.get_closest_marker("boundary") is not None
        metafunc.parametrize(
            "backend", BOUNDED if bounded else [*BOUNDED, "process"], indirect=True, scope="session"
        )


@pytest.fixture(scope="session")
def backend(request: pytest.FixtureRequest) -> str:
    """The name of a backend that works here."""
    name: str = request.param
    backend_named(name).close()
    return name


@pytest.fixture(scope="session")
def pool(backend: str) -> Iterator[Pool]:
    """A pool of one zygote on that backend."""
    with open_pool(backend, size=1, settings=Settings(spares=0)) as opened:
        yield opened


@pytest.fixture
def zygote(pool: Pool) -> Iterator[Zygote]:
    """The pool's zygote, ours for one test."""
    taken = pool.acquire(120)
    yield taken
    pool.release(taken, reusable=True)


@pytest.fixture
def client(zygote: Zygote) -> ZygoteClient:
    """A client of that zygote."""
    return ZygoteClient(zygote.control)


@pytest.fixture
def open_session(client: ZygoteClient) -> Iterator[OpenSession]:
    """``open_session(source, limits=)``: a judgement of a source that defines main()."""
    sessions: list[Session] = []

    def opened(source: str, limits: Limits = GENEROUS) -> Session:
        program = Program(textwrap.dedent(source).encode(), ("main",))
        sessions.append(Session(client, program, limits, cell_seed=1))
        return sessions[-1]

    yield opened
    for session in sessions:
        session.close()


@pytest.fixture
def submit(open_session: OpenSession) -> Submit:
    """``submit(source, limits=)``: main of that source, loaded into a fresh cell."""
    return lambda *args: open_session(*args).begin_case().main
