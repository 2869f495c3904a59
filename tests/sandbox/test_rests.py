"""Who rests while others are judged, by what the zygotes are told."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest

from sandbox.backend import Zygote
from sandbox.rests import Rests


class Told:
    """Zygotes by number, and what each was told."""

    def __init__(self) -> None:
        self._pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(6)]
        self.zygotes = [Zygote(near, {}, lambda: None) for near, _far in self._pairs]

    def __call__(self, number: int) -> list[str]:
        """What that one was told since the last time."""
        far, told = self._pairs[number][1], []
        far.setblocking(False)
        while True:
            try:
                told.append(json.loads(far.recv(4096))["op"])
            except BlockingIOError:
                return told

    def close(self) -> None:
        """Close all sockets."""
        for pair in self._pairs:
            for one in pair:
                one.close()


@pytest.fixture
def told() -> Iterator[Told]:
    made = Told()
    yield made
    made.close()


def test_a_long_one_rests_while_a_short_one_is_judged(told: Told) -> None:
    rests, (long, short, *_) = Rests(2), told.zygotes
    rests.begin(long)
    rests.note(long, True)
    assert told(0) == []
    rests.begin(short)
    assert told(0) == ["rest"]
    rests.end(short)
    assert (told(0), told(1)) == (["go_on"], [])


def test_once_all_are_long_they_share(told: Told) -> None:
    rests, (one, other, *_) = Rests(2), told.zygotes
    rests.begin(one)
    rests.begin(other)
    rests.note(one, True)
    assert told(0) == ["rest"]
    rests.note(other, True)
    assert (told(0), told(1)) == (["go_on"], [])
    rests.note(one, False)
    assert (told(0), told(1)) == ([], ["rest"])


def test_the_first_long_ones_have_the_cores_that_are_left(told: Told) -> None:
    rests = Rests(4)
    for zygote in told.zygotes[:4]:
        rests.begin(zygote)
    for zygote in told.zygotes[:3]:
        rests.note(zygote, True)
    assert [told(number)[-1:] for number in range(4)] == [["go_on"], ["go_on"], ["rest"], []]
    rests.begin(told.zygotes[4])  # a second short one: with its grader it has the other two
    assert [told(number) for number in range(5)] == [["rest"], ["rest"], [], [], []]


def test_who_is_done_is_told_nothing_and_a_lost_one_hinders_nobody(told: Told) -> None:
    rests, (long, lost, short, *_) = Rests(1), told.zygotes
    for zygote in (long, lost):
        rests.begin(zygote)
        rests.note(zygote, True)
    assert told(0) == ["rest", "go_on"]
    rests.end(long)
    rests.note(long, True)
    lost.kill()
    rests.begin(short)
    rests.end(lost)
    assert told(0) == []
