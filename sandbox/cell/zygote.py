"""The warm, powerless process that forks cells: torch is imported once, a cell costs a fork.

It holds no secret, no case and no expected value. Its one socket carries spawn, usage, kill, wait and exit, never a
learner's byte; when that socket closes it ends, and its cell with it. Single-threaded, fork only.

Started as ``python -s -P -c "import sys; sys.path.insert(0, DIR); from cell import zygote; zygote.main(sys.argv[1:])"``.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import os
import resource
import socket
from collections.abc import Callable
from types import ModuleType
from typing import NoReturn

from . import harden, kernel, libraries, preload
from .child import Child, status_mib
from .requests import Answer, Request, Requests

_FAILED = 70
_MAX_OPEN_FILES = 256


class Zygote(Requests):
    """Forks cells."""

    def __init__(self, control: socket.socket, serve: Callable[[socket.socket], None], ruleset: int) -> None:
        super().__init__(control)
        self._serve = serve
        self._ruleset = ruleset

    def spawn(self, request: Request) -> Answer:
        """See Requests."""
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        output_read, output_write = os.pipe()
        ready_read, ready_write = os.pipe()
        cpu_s = max(1, int(-(-float(request["cpu_s"]) // 1)))
        memory_mib = int(request["memory_mib"])
        bounds = harden.Bounds(memory_mib << 20, cpu_s)
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            program = base64.b64decode(request["filter"])
            self._become_cell(parent, far, output_write, ready_write, bounds, program)
        for descriptor in (output_write, ready_write):
            os.close(descriptor)
        far.close()
        why_not = _await_ready(ready_read)
        self.cell = Child(pid, status_mib(pid, "VmHWM"), memory_mib, cpu_s)
        if why_not is not None:
            self.end_cell()
            near.close()
            os.close(output_read)
            return {"error": why_not}, []
        return {"pid": pid}, [near.detach(), output_read]

    def _become_cell(
        self, parent: int, wire: socket.socket, output: int, ready: int, bounds: harden.Bounds, program: bytes
    ) -> NoReturn:
        """The child's whole life."""
        status = _FAILED
        try:
            keep = {wire.fileno(), ready}
            harden.harden(
                parent=parent, output=output, keep=keep, ruleset=self._ruleset, bounds=bounds, program=program
            )
            os.write(ready, b"k")
            os.close(ready)
            self._serve(wire)
            status = 0
        except BaseException as error:  # top-level guard
            _tell(ready, f"{type(error).__name__}: {error}")
        finally:  # whatever happens, the zygote's own code must not run on in here
            os._exit(status)


def _tell(ready: int, text: str) -> None:
    with contextlib.suppress(OSError):
        os.write(ready, text.encode(errors="replace")[:500])


def _await_ready(ready: int) -> str | None:
    """None once the child is hardened, else why it is not."""
    text = os.read(ready, 500)
    os.close(ready)
    if text == b"k":
        return None
    return text.decode(errors="replace") or "the cell ended before it was ready"


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


def _prepare(max_abi: int) -> tuple[ModuleType, dict[str, object], int]:
    """Import what cells need, then give up every power. Returns the runner, facts for the launcher, the ruleset."""
    facts = preload.warm_up()
    from . import runner

    abi = min(kernel.landlock_abi(), max_abi)
    ruleset = kernel.landlock_ruleset(libraries.readable(), abi, libraries.listable()) if abi else -1
    libraries.forget_listings()
    harden.disarm()
    gc.collect()
    gc.freeze()
    kernel.use_huge_pages()
    return (
        runner,
        {**facts, "landlock_abi": abi, "uid": os.getuid(), "rss_mib": status_mib(os.getpid(), "VmRSS")},
        ruleset,
    )


def main(arguments: list[str]) -> None:
    """``arguments``: the control socket (see _connect), the highest Landlock ABI to use, and the user to become."""
    control = _connect(arguments[0])
    _settle(control)
    harden.become(int(arguments[2]) if len(arguments) > 2 else -1)
    libraries.keep_search_path()
    try:
        runner, facts, ruleset = _prepare(int(arguments[1]))
    except Exception as error:  # top-level guard: the launcher gets one line
        control.send(json.dumps({"failed": f"{type(error).__name__}: {error}"[:1000]}).encode())
        return
    control.send(json.dumps({"hello": 1, **facts}).encode())
    Zygote(control, runner.serve, ruleset).run()
