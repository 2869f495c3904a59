"""Spare interpreters: each is one cell and no more, nothing is forked, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from sandbox.backend import Settings, choose
from sandbox.client import ZygoteClient
from sandbox.contract import Limits, SandboxFault
from sandbox.pool import Pool, all_backends, open_pool
from tests.sandbox.isolation.cells import backend_named


def descendants(pid: int) -> set[int]:
    """The children of a process, and theirs."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    found = {int(word) for word in children.read_text().split()} if children.exists() else set()
    return found.union(*(descendants(child) for child in found))


def gone(pids: set[int]) -> bool:
    """Whether all of them end within some seconds."""
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def refuse() -> NoReturn:
    raise RuntimeError("forked")


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """A pool that is opened and used while os.fork raises; the supervisor and its spares refuse it by themselves."""
    backend_named("process")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fork", refuse)
        with open_pool("process", size=1, settings=Settings(spares=0)) as opened:
            yield opened


def test_each_cell_is_a_process_of_its_own_and_nothing_is_left(pool: Pool) -> None:
    zygote = pool.acquire(60)
    client, supervisor = ZygoteClient(zygote.control), int(zygote.name.split()[1])
    seen = []
    for _ in range(2):
        cell = client.spawn(Limits())
        seen.append(descendants(supervisor))
        assert len(seen[-1]) == 2  # the cell, and the spare that warms up for the next
        cell.kill()
        cell.close()
    client.reset()
    assert len(seen[0] & seen[1]) == 1  # the spare of the first time is the cell of the second
    pool.release(zygote, reusable=False)
    assert gone(seen[0] | seen[1] | {supervisor})


def test_a_killed_supervisor_takes_cell_and_spare_along(pool: Pool) -> None:
    zygote = pool.acquire(120)
    supervisor = int(zygote.name.split()[1])
    cell = ZygoteClient(zygote.control).spawn(Limits())
    left = descendants(supervisor)
    os.kill(supervisor, signal.SIGKILL)
    assert gone(left)
    cell.close()
    pool.release(zygote, reusable=False)


def test_a_supervisor_that_is_told_nonsense_ends(pool: Pool) -> None:
    zygote = pool.acquire(120)
    with pytest.raises(SandboxFault):
        ZygoteClient(zygote.control).ask("kill", 2.0, pid=1)
    pool.release(zygote, reusable=True)


def test_it_is_the_last_that_auto_takes() -> None:
    backends = all_backends(Settings(), 2048)
    assert [backend.name for backend in backends] == ["docker", "namespace", "landlock", "process"]
    assert choose("auto", [backends[2], backends[3]]) is backends[3 if backends[2].available() else 2]
