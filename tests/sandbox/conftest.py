"""Cells to test against: the hardened ones of the landlock backend where it can be had, else plain forks."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from sandbox.backend import NoBackend, Settings
from sandbox.client import ZygoteClient
from sandbox.contract import Limits, Program
from sandbox.pool import open_pool
from sandbox.session import Session
from tests.sandbox.fake import ForkingClient

torch.set_num_threads(1)  # this process is forked


@pytest.fixture(scope="session")
def hardened_client() -> Iterator[ZygoteClient | None]:
    """A client of one process of the landlock backend; None where that cannot be had."""
    try:
        pool = open_pool("landlock", size=1, settings=Settings(spares=0))
    except NoBackend:
        yield None
        return
    with pool:
        yield ZygoteClient(pool.acquire(60).control)


@pytest.fixture
def forking_client() -> Iterator[ForkingClient]:
    """A client that forks this process."""
    client = ForkingClient()
    yield client
    client.end()


@pytest.fixture
def client(hardened_client: ZygoteClient | None, forking_client: ForkingClient) -> Any:
    """Hardened cells where they can be had, else plain forks; tests/sandbox/isolation tells the backends apart."""
    return hardened_client or forking_client


Open = Callable[..., Session]


@pytest.fixture
def open_session(client: Any) -> Iterator[Open]:
    """``open_session(source, *entry_points, limits=, support=, harness=, client=, **options)``; closed afterwards."""
    sessions: list[Session] = []

    def opened(source: str | bytes, *entry_points: str, **options: Any) -> Session:
        text = textwrap.dedent(source).encode() if isinstance(source, str) else source
        limits = options.pop("limits", None) or Limits(time_limit_s=5.0)
        files = {name: options.pop(name, None) for name in ("support", "harness")}
        dedented = {name: found and textwrap.dedent(found) for name, found in files.items()}
        program = Program(text, entry_points, **dedented)
        sessions.append(Session(options.pop("client", client), program, limits, 1, **options))
        return sessions[-1]

    yield opened
    for session in sessions:
        session.close()


@pytest.fixture
def submit(open_session: Open) -> Callable[..., Any]:
    """The submission of a first case: ``submit(source, *entry_points, ...)``."""
    return lambda *args, **options: open_session(*args, **options).begin_case()
