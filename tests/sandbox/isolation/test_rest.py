"""A cell that is stopped for others: its clock stands still, nothing of that counts against it, and it goes on."""

from __future__ import annotations

import time

from sandbox.client import ZygoteClient
from sandbox.contract import Limits, Program
from sandbox.session import Session
from tests.sandbox.isolation.cells import GENEROUS

BURN = b"""
import time

def main(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds

def sleep(seconds):
    time.sleep(seconds)
"""
PROGRAM = Program(BURN, ("main", "sleep"))
TIGHT = Limits(time_limit_s=0.5, load_limit_s=60.0, judgement_limit_s=120.0)  # a rest takes up to two seconds


def test_a_rest_ends_by_itself_and_counts_for_nothing(client: ZygoteClient) -> None:
    session = Session(client, PROGRAM, TIGHT, 1, meanwhile=lambda: client.begin("rest") and None)
    began = time.monotonic()
    assert session.begin_case().main(0.2) == 0.2
    took_s = time.monotonic() - began
    used = session.end_case()
    session.close()
    assert took_s > 3 * TIGHT.time_limit_s  # so it rested, and would else have been over its time
    assert used.cpu_s < TIGHT.time_limit_s
    assert used.wall_s < took_s - 1
    assert session.delayed_s > 1


def test_its_clock_stands_still_until_it_goes_on(client: ZygoteClient) -> None:
    seen: list[float] = []

    def look() -> None:
        client.begin("rest")
        assert session._channel is not None
        for _ in range(2):
            usage = session._channel.cell.usage()
            seen.extend((usage.cpu_s, usage.rested_s))
            time.sleep(0.1)
        client.begin("go_on")

    session = Session(client, PROGRAM, GENEROUS, 1, meanwhile=look)
    session.begin_case().main(0.2)
    session.end_case()
    stopped_s = seen[3] - seen[1]
    assert stopped_s >= 0.1
    assert seen[2] - seen[0] < stopped_s / 4  # a signal takes its moment
    assert 0.2 < session.delayed_s < 2
    session.close()


def test_one_that_rests_can_be_ended(client: ZygoteClient) -> None:
    cell = client.spawn(Limits())
    client.begin("rest")
    assert cell.wait(0) is None
    assert cell.kill().reason == "killed"
    client.begin("rest")  # it has gone: nobody is stopped in its place
    client.begin("go_on")
    cell.close()
    other = client.spawn(Limits())
    assert other.kill().usage.rested_s == 0
    other.close()


def test_one_hears_of_long_cases_alone(client: ZygoteClient) -> None:
    told: list[bool] = []
    session = Session(client, PROGRAM, GENEROUS, 1, on_long=told.append)
    submission = session.begin_case()
    told.clear()  # loading may take long on a busy machine
    submission.main(0.2)
    assert told == [True]
    session.end_case()
    session.begin_case().sleep(0.3)
    session.end_case()
    assert told == [True, False, True, False]
    session.close()
