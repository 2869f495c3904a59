"""Stand-ins for a zygote: a plain fork without isolation, and cells whose far end a test plays itself."""

from __future__ import annotations

import os
import resource
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

from sandbox.cell import runner
from sandbox.contract import Exit, Limits, Usage

Serve = Callable[[socket.socket], None]


class ForkedCell:
    """A child of the test process at the end of a wire; has the methods of sandbox.client.Cell."""

    def __init__(self, pid: int, wire: socket.socket, output: int) -> None:
        self.pid = pid
        self.wire = wire
        self.output = output
        self._exit: Exit | None = None

    def usage(self) -> Usage:
        """CPU seconds from /proc; memory is not measured."""
        if self._exit is not None:
            return self._exit.usage
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        return Usage(ticks / os.sysconf("SC_CLK_TCK"), 0.0)

    def look_ahead(self) -> None:
        """Usage is always the present one."""

    def goes_on(self) -> None:
        """See look_ahead."""

    def kill(self) -> Exit:
        """Ends the child."""
        if self._exit is None:
            os.kill(self.pid, signal.SIGKILL)
            ended = self.wait(10)
            assert ended is not None
            return ended
        return self._exit

    def wait(self, timeout_s: float) -> Exit | None:
        """How the child ended."""
        until = time.monotonic() + timeout_s
        while self._exit is None:
            pid, status, used = os.wait4(self.pid, os.WNOHANG)
            if pid:
                usage = Usage(used.ru_utime + used.ru_stime, 0.0)
                code, number = os.waitstatus_to_exitcode(status), 0
                if code < 0:
                    code, number = 0, -code
                self._exit = _exit_of(code, number, usage)
            elif time.monotonic() > until:
                return None
            else:
                time.sleep(0.002)
        return self._exit

    def close(self) -> None:
        """Closes the descriptors of our side."""
        self.wire.close()
        if self.output >= 0:
            os.close(self.output)
        self.output = -1


class ForkingClient:
    """Has the methods of sandbox.client.ZygoteClient; ``serve`` plays the far end of the wire."""

    def __init__(self, serve: Serve = runner.serve) -> None:
        self._serve = serve
        self.cells: list[ForkedCell] = []

    def spawn(self, limits: Limits) -> ForkedCell:
        """Forks a cell."""
        near, far = socket.socketpair()
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.dup2(writing, 1)
                os.dup2(writing, 2)
                os.closerange(3, far.fileno())  # a zygote's control socket may be among them
                os.closerange(far.fileno() + 1, 4096)
                _limit_memory(limits)
                self._serve(far)
            finally:
                os._exit(0)
        far.close()
        os.close(writing)
        self.cells.append(ForkedCell(pid, near, reading))
        return self.cells[-1]

    def end(self) -> None:
        """Ends what is left."""
        for cell in self.cells:
            cell.kill()
            cell.close()


def _limit_memory(limits: Limits) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    size = pages * resource.getpagesize() + (limits.memory_limit_mib << 20)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    seconds = max(1, round(limits.judgement_limit_s))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def _exit_of(code: int, number: int, usage: Usage) -> Exit:
    if number == signal.SIGXCPU:
        return Exit("cpu", code, number, usage)
    return Exit("signal" if number else "exited", code, number, usage)
