"""The warm, powerless process that forks cells: torch is imported once, a cell costs a fork.

It holds no secret, no case and no expected value. Its one socket carries spawn, usage, rest, kill, wait and exit, never a
learner's byte; when that socket closes it ends, and its cell with it. Single-threaded, fork only.

Started as ``python -s -P -c "import sys; sys.path.insert(0, DIR); from cell import zygote; zygote.main(sys.argv[1:])"``.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import resource
import socket
from collections.abc import Callable
from contextlib import suppress

from . import harden, kernel, libraries, preload
from .ahead import Fork, Serve
from .child import Child
from .proc import cpu_clock_s, status_mib
from .requests import Answer, Request, Requests

_MAX_OPEN_FILES = 256


class Zygote(Requests):
    """Forks cells, the first of each submission before it is asked for."""

    def __init__(
        self, control: socket.socket, rehearse: Callable[[], None], serve: Serve, ruleset: int
    ) -> None:
        super().__init__(control)
        self._rehearse = rehearse
        self._serve = serve
        self._ruleset = ruleset
        self._ahead: Fork | None = None

    def spawn(self, request: Request) -> Answer:
        """See Requests."""
        cpu_s = max(1, int(-(-float(request["cpu_s"]) // 1)))
        memory_mib = int(request["memory_mib"])
        bounds, program = harden.Bounds(memory_mib << 20, cpu_s), base64.b64decode(request["filter"])
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead.become_cell(bounds, program):
            ahead.end()  # it was lost while it waited
            ahead = None
        if ahead is None:
            ahead = self._fork()
            if why_not := ahead.become_cell(bounds, program):
                ahead.end()
                return {"error": why_not}, []
        before_s, base_mib = cpu_clock_s(ahead.pid), status_mib(ahead.pid, "VmHWM")
        self.cell = Child(ahead.pid, base_mib, memory_mib, cpu_s, cpu_before_s=before_s)
        return {"pid": ahead.pid}, [ahead.wire.detach(), ahead.output]

    def get_ready(self) -> None:
        """See Requests."""
        if self._ahead is None:
            with suppress(OSError):  # no room for it now: the next request says so, if that stays
                self._ahead = self._fork()

    def _fork(self) -> Fork:
        return Fork(self._ruleset, self._rehearse, self._serve)


def _connect(where: str) -> socket.socket:
    """The control socket: an inherited descriptor's number, or the path of a socket to connect to."""
    if where.isdigit():
        return socket.socket(fileno=int(where))
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control.connect(where)
    return control


def _settle(control: socket.socket) -> None:
    """Close everything but ``control``, and leave the launcher's terminal, folder and output."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)
    most = min(_MAX_OPEN_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    harden.close_all_but({0, 1, 2, control.fileno()})
    os.chdir("/")


def _prepare(control: socket.socket, max_abi: int) -> tuple[Zygote, dict[str, object]]:
    """Import what cells need, then give up every power. Returns the zygote, and facts for the launcher."""
    facts = preload.warm_up()
    from . import rehearse, runner

    rehearse.rehearse()

    abi = min(kernel.landlock_abi(), max_abi)
    ruleset = kernel.landlock_ruleset(libraries.readable(), abi, libraries.listable()) if abi else -1
    libraries.forget_listings()
    harden.disarm()
    gc.collect()
    gc.freeze()
    kernel.use_huge_pages()
    facts |= {"landlock_abi": abi, "uid": os.getuid(), "rss_mib": status_mib(os.getpid(), "VmRSS")}
    return Zygote(control, rehearse.rehearse, runner.serve, ruleset), facts


def main(arguments: list[str]) -> None:
    """``arguments``: the control socket (see _connect), the highest Landlock ABI to use, and the user to become."""
    control = _connect(arguments[0])
    _settle(control)
    harden.become(int(arguments[2]) if len(arguments) > 2 else -1)
    libraries.keep_search_path()
    try:
        zygote, facts = _prepare(control, int(arguments[1]))
    except Exception as error:  # top-level guard: the launcher gets one line
        control.send(json.dumps({"failed": f"{type(error).__name__}: {error}"[:1000]}).encode())
        return
    control.send(json.dumps({"hello": 1, **facts}).encode())
    zygote.get_ready()
    zygote.run()
