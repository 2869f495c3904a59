"""The fork that a zygote makes before it is asked: never beside a cell, replaced when it is lost, and without a past."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.client import ZygoteClient
from sandbox.contract import Program
from sandbox.pool import Pool, Settings, open_pool
from sandbox.session import Session
from tests.sandbox.isolation.cells import GENEROUS, backend_named

MAIN = b"def main():\n    return 7\n"
LOOK = b"""
import linecache, random, sys
import torch

BEFORE = sorted(name for name in sys.modules if name in ("solution", "harness", "support"))
LINES = len(linecache.getlines("solution.py"))


def main():
    return [BEFORE, LINES, random.random(), float(torch.rand(1)), torch.get_num_threads()]
"""


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """One zygote whose processes can be seen from here."""
    backend_named("landlock").close()
    with open_pool("landlock", size=1, settings=Settings(spares=0)) as opened:
        yield opened


@pytest.fixture
def client(pool: Pool) -> Iterator[ZygoteClient]:
    zygote = pool.acquire(60)
    yield ZygoteClient(zygote.control)
    pool.release(zygote, reusable=True)


def children(pool: Pool) -> list[int]:
    """The processes that the pool's one zygote has forked."""
    (zygote,) = [*pool._busy]
    parent = int(zygote.name.removeprefix("process "))
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def awaited(pool: Pool, count: int) -> list[int]:
    """Its children once there are ``count`` of them."""
    deadline = time.monotonic() + 30
    while len(found := children(pool)) != count and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(found) == count
    return found


def called(client: ZygoteClient, source: bytes = MAIN, seed: int = 1) -> object:
    session = Session(client, Program(source, ("main",)), GENEROUS, cell_seed=seed)
    result = session.begin_case().main()
    session.end_case()
    session.leave()
    return result


def test_it_becomes_the_cell_and_has_no_neighbour(pool: Pool, client: ZygoteClient) -> None:
    client.reset()
    ahead = awaited(pool, 1)
    cell = client.spawn(GENEROUS)
    assert children(pool) == ahead
    again = client.spawn(GENEROUS)  # of the same submission, after the death of its first
    assert len(children(pool)) == 1 and children(pool) != ahead
    cell.close()
    again.close()


def test_one_that_was_lost_is_replaced(pool: Pool, client: ZygoteClient) -> None:
    client.reset()
    (ahead,) = awaited(pool, 1)
    os.kill(ahead, signal.SIGKILL)
    assert called(client) == 7


def test_a_cell_that_is_left_ends_with_the_reset(pool: Pool, client: ZygoteClient) -> None:
    client.reset()
    (ahead,) = awaited(pool, 1)
    assert called(client) == 7
    client.reset()
    assert ahead not in awaited(pool, 1)


def test_what_it_went_through_is_not_to_be_seen(client: ZygoteClient) -> None:
    first, second = [], []
    for told in (first, second):
        client.reset()
        told.append(called(client, LOOK))
    assert first == second
    assert first[0][:2] == [["solution"], LOOK.count(b"\n")] and first[0][4] == 1
    client.reset()
    assert called(client, LOOK, seed=2) != first[0]


def test_its_rehearsal_is_not_on_the_submissions_account(client: ZygoteClient) -> None:
    client.reset()
    session = Session(client, Program(MAIN, ("main",)), GENEROUS, cell_seed=1)
    session.begin_case().main()
    usage = session.end_case()
    session.close()
    own_s = time.process_time()  # pytest alone has used more than that
    assert 0 <= usage.cpu_s < own_s and 0 <= session.load_s < own_s
