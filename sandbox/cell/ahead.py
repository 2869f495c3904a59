"""Forks made before they are needed: nobody who waits for a cell waits for a fork and its first page faults.

Such a fork has not met a learner's byte. It has given up everything but its wire, its output and the link to its
zygote, has gone through a small program of ours, and waits for the limits that make it a cell. It is made while no
cell lives, so that a cell never has a neighbour.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from . import harden

Serve = Callable[[socket.socket], None]
"""What a cell does with its wire for the rest of its life."""

_FAILED = 70
_ORDER = struct.Struct("=QI")  # bytes of memory, CPU seconds; the filter follows
_MAX_ORDER = 64 * 1024
_SEND_BUFFER_BYTES = 1 << 20
_READY = b"k"


class Fork:
    """The zygote's view of a fork: its pid, the near end of its wire, the read end [fd] of its output."""

    def __init__(self, ruleset: int, rehearse: Callable[[], None], serve: Serve) -> None:
        self.wire, wire = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        for end in (self.wire, wire):  # fewer turns for a large tensor; the kernel gives what it allows
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        self._link, link = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.output, output = os.pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            _live(parent, link, wire, output, ruleset, rehearse, serve)
        os.close(output)
        link.close()
        wire.close()

    def become_cell(self, bounds: harden.Bounds, program: bytes) -> str:
        """Binds it for good by ``bounds`` and the seccomp filter ``program``; "" or why it is no cell."""
        try:
            self._link.send(_ORDER.pack(bounds.memory_bytes, bounds.cpu_s) + program)
            said = self._link.recv(1000)
        except OSError as error:
            said = str(error).encode()
        self._link.close()
        return "" if said == _READY else said.decode(errors="replace") or "the cell ended before it was ready"

    def end(self) -> None:
        """Ends and reaps it, and lets go of its wire and output."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self._link.close()
        self.wire.close()
        os.close(self.output)


def _live(
    parent: int,
    link: socket.socket,
    wire: socket.socket,
    output: int,
    ruleset: int,
    rehearse: Callable[[], None],
    serve: Serve,
) -> NoReturn:
    """The child's whole life."""
    status = _FAILED
    try:
        harden.shed(parent=parent, output=output, keep={wire.fileno(), link.fileno(), ruleset} - {-1})
        rehearse()
        if order := link.recv(_MAX_ORDER):
            harden.bind(ruleset, harden.Bounds(*_ORDER.unpack_from(order)), order[_ORDER.size :])
            os.write(link.fileno(), _READY)  # `send` is `sendto`, of which the filter is wary
            link.close()
            serve(wire)
        status = 0
    except BaseException as error:  # top-level guard
        with suppress(OSError):
            link.send(f"{type(error).__name__}: {error}".encode(errors="replace")[:500])
    finally:  # whatever happens, the zygote's own code must not run on in here
        os._exit(status)
