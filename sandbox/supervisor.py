"""Stands in for a zygote where cells may not be forked: keeps one spare interpreter warm, and makes it the next cell.

Started by sandbox/process.py as a process of its own, without torch. A spare serves once; the next one starts as soon
as it is taken. Never forks.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from sandbox.cell.child import Child
from sandbox.cell.proc import cpu_clock_s, status_mib
from sandbox.cell.requests import Answer, Request, Requests

_FOLDER = Path(__file__).resolve().parent
_LAUNCH = "import sys; sys.path.insert(0, {folder!r}); from cell import spare; spare.main(sys.argv[1:])"
_SAY_LATER_EVERY_S = 1.0
_KILL_LIMIT_S, _KILL_SAY_LATER_EVERY_S = 10.0, 0.2
_TURN_LIMIT_S = 3.0  # for a warm spare to take its limits


class Spare:
    """One interpreter that warms up, with the near ends of what its cell will have."""

    def __init__(self) -> None:
        self._control, control = socket.socketpair()
        self.wire, wire = socket.socketpair()
        self.output, output = os.pipe()
        kept = (control.fileno(), wire.fileno(), output)
        for descriptor in kept:
            os.set_inheritable(descriptor, True)
        code = _LAUNCH.format(folder=str(_FOLDER))
        words = [str(word) for word in (os.getpid(), *kept)]
        self.pid = os.posix_spawn(
            sys.executable, [sys.executable, "-s", "-P", "-c", code, *words], os.environ, setpgroup=0
        )
        control.close()
        wire.close()
        os.close(output)

    def line(self, wait_s: float) -> bytes | None:
        """What it says next (empty: it has ended), or None when it says nothing in time."""
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        if not poller.poll(wait_s * 1000):
            return None
        return self._control.recv(16 * 1024)  # one short line, written at once

    def take(self, memory_mib: int, cpu_s: int) -> Child | None:
        """The cell that it turns into; None when it does not."""
        before_s = cpu_clock_s(self.pid)
        with suppress(OSError):
            self._control.sendall(json.dumps({"memory_mib": memory_mib, "cpu_s": cpu_s}).encode() + b"\n")
            if self.line(_TURN_LIMIT_S) == b"k\n":
                self._control.close()
                base_mib = status_mib(self.pid, "VmHWM")
                return Child(self.pid, base_mib, memory_mib, cpu_s, cpu_before_s=before_s, leads_group=True)
        return None

    def end(self) -> None:
        """End it, and let go of everything."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self._control.close()
        self.wire.close()
        os.close(self.output)


class Supervisor(Requests):
    """Answers as a zygote does; a cell is the spare itself."""

    def __init__(self, control: socket.socket, start_limit_s: float) -> None:
        super().__init__(control)
        self._start_limit_s = start_limit_s
        self._spare: Spare | None = Spare()
        self._warm = False  # whether the spare has said so

    def first_facts(self) -> bytes:
        """What the first spare says of itself; empty when it ended or was not ready in time."""
        assert self._spare is not None
        return self._spare.line(self._start_limit_s) or b""

    def serve(self, facts: dict[str, Any]) -> None:
        """Say hello, and answer until the control socket closes."""
        self._control.send(json.dumps({"hello": 1, **facts}).encode())
        self._warm = True
        self.run()

    def spawn(self, request: Request) -> Answer:
        """See Requests. Says ``later`` while the spare still warms up."""
        spare = self._spare or Spare()
        self._spare = None
        why_not = self._await_warm(spare, request)
        if not why_not:
            self.cell = spare.take(int(request["memory_mib"]), max(1, int(-(-float(request["cpu_s"]) // 1))))
            why_not = "" if self.cell else "a spare interpreter did not become a cell"
        self._warm = False
        self._spare = Spare()
        if self.cell is None:
            spare.end()
            return {"error": why_not}, []
        return {"pid": spare.pid}, [spare.wire.detach(), spare.output]

    def kill(self, cell: Child, request: Request) -> None:
        """See Requests. It says ``later`` meanwhile: a whole interpreter takes a busy machine its time to clear away."""
        deadline = time.monotonic() + _KILL_LIMIT_S
        while not cell.kill(_KILL_SAY_LATER_EVERY_S) and time.monotonic() < deadline:
            self.send(request, {"later": 1}, [])

    def _await_warm(self, spare: Spare, request: Request) -> str:
        deadline = time.monotonic() + self._start_limit_s
        while not self._warm:
            said = spare.line(_SAY_LATER_EVERY_S)
            if said is not None:
                return "" if said and "failed" not in json.loads(said) else "a spare interpreter ended"
            if time.monotonic() > deadline:
                return f"a spare interpreter was not ready within {self._start_limit_s:.0f} s"
            self.send(request, {"later": 1}, [])
        return ""

    def close(self) -> None:
        """End cell and spare."""
        self.end_cell()
        if self._spare is not None:
            self._spare.end()
            self._spare = None


def _refuse() -> NoReturn:
    raise RuntimeError("the supervisor never forks")


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(0)


def main(arguments: list[str]) -> None:
    """``arguments``: the control socket's descriptor, and the seconds within which a spare must be warm."""
    os.fork = _refuse
    signal.signal(signal.SIGTERM, _stop)
    control = socket.socket(fileno=int(arguments[0]))
    supervisor = Supervisor(control, float(arguments[1]))
    try:
        facts = json.loads(supervisor.first_facts() or b'{"failed": "the first spare interpreter ended"}')
        supervisor.serve(facts) if "failed" not in facts else control.send(json.dumps(facts).encode())
    except (BrokenPipeError, ConnectionResetError):
        pass  # whoever started us has gone
    finally:
        supervisor.close()
