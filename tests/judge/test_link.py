"""What the processes of the grader say to each other: events, together or one by one."""

from __future__ import annotations

import socket
import time

import pytest

from judge.grading import link
from judge.grading.link import Events, receive_frame, wait_readable


def test_what_can_wait_goes_with_the_next_and_keeps_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "_HOLD_S", 1000)
    near, far = socket.socketpair()
    with near, far:
        events = Events(near)
        events.send({"number": 0})
        events.hold({"number": 1})
        events.hold({"number": 2})
        assert receive_frame(far, time.monotonic() + 10) == {"number": 0}
        assert not wait_readable(far, 0.05)
        events.send({"number": 3})
        for number in (1, 2, 3):
            assert receive_frame(far, time.monotonic() + 10) == {"number": number}


def test_nothing_waits_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "_HOLD_S", 0)
    near, far = socket.socketpair()
    with near, far:
        events = Events(near)
        events.send({"number": 0})
        time.sleep(0.001)
        events.hold({"number": 1})
        for number in (0, 1):
            assert receive_frame(far, time.monotonic() + 10) == {"number": number}
