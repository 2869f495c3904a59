"""The judgement's side of a zygote: a cell's usage that is asked for ahead, against a zygote that the test plays."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.client import Cell, ZygoteClient
from sandbox.contract import SandboxFault


class Zygote:
    """The far end of a control socket."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        control.settimeout(5)

    def asked(self) -> dict[str, Any]:
        """The next request."""
        request: dict[str, Any] = json.loads(self.control.recv(4096))
        return request

    def tell(self, request: dict[str, Any], cpu_s: float) -> None:
        """Answers with a usage of ``cpu_s``."""
        answer = {
            "nonce": request["nonce"],
            "cpu_s": cpu_s,
            "memory_mib": 1.0,
            "delay_s": 0.0,
            "rested_s": 0.0,
        }
        self.control.send(json.dumps(answer).encode())

    def was_asked_more(self) -> bool:
        """Whether a request waits."""
        self.control.settimeout(0.05)
        try:
            return bool(self.control.recv(4096, socket.MSG_PEEK))
        except TimeoutError:
            return False
        finally:
            self.control.settimeout(5)


@pytest.fixture
def both() -> Iterator[tuple[Cell, Zygote]]:
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    wire, other = socket.socketpair()
    cell = Cell(ZygoteClient(near), 7, wire, os.open(os.devnull, os.O_RDONLY))
    with near, far, other:
        yield cell, Zygote(far)
        cell.close()


def test_a_look_ahead_is_the_usage_that_is_told(both: tuple[Cell, Zygote]) -> None:
    cell, zygote = both
    cell.look_ahead()
    cell.look_ahead()
    request = zygote.asked()
    assert (request["op"], request["pid"]) == ("usage", 7)
    zygote.tell(request, 1.5)
    assert cell.usage().cpu_s == 1.5
    assert not zygote.was_asked_more()


def test_what_was_seen_before_a_cell_went_on_is_not_told(both: tuple[Cell, Zygote]) -> None:
    cell, zygote = both
    cell.look_ahead()
    early = zygote.asked()
    cell.goes_on()
    cell.look_ahead()
    late = zygote.asked()
    zygote.tell(early, 1.0)
    zygote.tell(late, 2.0)
    assert cell.usage().cpu_s == 2.0


def test_a_zygote_that_ended_is_a_fault_of_ours(both: tuple[Cell, Zygote]) -> None:
    cell, zygote = both
    cell.look_ahead()
    zygote.control.close()
    with pytest.raises(SandboxFault):
        cell.usage()
    with pytest.raises(SandboxFault):
        cell.look_ahead()
