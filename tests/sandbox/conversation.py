"""A whole conversation with a far end that says what it likes: shared by the hypothesis tests and tests/fuzz."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch

from sandbox.calls import Calls, NotLoaded, OutOfMemory
from sandbox.cell.caps import WireError
from sandbox.channel import Budget, Channel, Gone, OverTime, TooMuchOutput
from sandbox.contract import BadValue, Usage
from sandbox.output import Output

NONCE = "0" * 16
EXPECTED = (WireError, Gone, OverTime, TooMuchOutput, OutOfMemory, NotLoaded, BadValue)


class Idle:
    """A cell that has used nothing: only its descriptors matter."""

    def __init__(self, wire: socket.socket, output: int) -> None:
        self.wire = wire
        self.output = output

    def usage(self) -> Usage:
        """Nothing."""
        return Usage(0.0, 0.0)

    def look_ahead(self) -> None:
        """Nothing to see."""

    def goes_on(self) -> None:
        """Nothing was seen."""


class Deaf:
    """A caller for handles that nobody uses."""

    def request(self, *_args: Any, **_kwargs: Any) -> Any:
        raise AssertionError("a handle was used")


@contextmanager
def calls_to(said: bytes, printed: bytes = b"") -> Iterator[Calls]:
    """Calls whose far end has already said and printed everything, and then went away. Every nonce is NONCE."""
    near, far = socket.socketpair()
    reading, writing = os.pipe()
    with near, far, mock.patch.object(secrets, "token_hex", lambda _: NONCE):
        far.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        far.setblocking(False)
        os.write(writing, printed[:60_000])
        os.close(writing)
        idle: Any = Idle(near, reading)
        channel = Channel(idle, Output(64), Budget(5.0, Usage(0.0, 0.0)), lambda: None)
        channel.check_silence = lambda: None  # type: ignore[method-assign]  # it has said its part before it was asked
        far.send(said)
        far.shutdown(socket.SHUT_WR)
        try:
            yield Calls(channel, {}, Deaf())
        finally:
            os.close(reading)


def outcome(said: bytes, op: str = "call", printed: bytes = b"") -> Any:
    """What comes of one request; an exception that nobody expects of a cell is passed on."""
    args = (torch.ones(2), [1, "x"], lambda *told: len(told), iter([1, 2]))
    with calls_to(said, printed) as calls:
        try:
            return calls.request(op, ("entry", "f"), args, {})
        except EXPECTED as error:
            return error
        except Exception as error:
            if hasattr(error, "learner_fault"):  # the submission's own, raised again
                return error
            raise
