"""A spare interpreter: imports torch, waits to be needed, and is then one cell. Nothing holds it; it never forks.

Started by sandbox/supervisor.py, which measures and ends it from outside.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import socket
import sys
import time
from typing import NoReturn

from . import harden, kernel, libraries, preload
from .proc import status_mib


def _refuse() -> NoReturn:
    """In place of os.fork: a child of a process with torch's threads hangs or aborts on some systems."""
    raise PermissionError(1, "a cell starts no processes")


def _end_with(parent: int) -> None:
    """Where the kernel can, end with the supervisor."""
    if sys.platform.startswith("linux"):
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _forget_peak() -> None:
    """Let the high-water mark of memory begin here."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w", encoding="ascii") as clear:
        clear.write("5")


def _become_cell(output: int, request: dict[str, int]) -> None:
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.environ.clear()
    cpu_s = request["cpu_s"] + math.ceil(time.process_time())  # the import has used some
    harden.limit(harden.Bounds(request["memory_mib"] << 20, cpu_s))
    _forget_peak()


def main(arguments: list[str]) -> None:
    """``arguments``: the supervisor's process, the socket to it, the wire, the output pipe."""
    os.fork = _refuse
    parent, control_fd, wire_fd, output = map(int, arguments)
    control, wire = socket.socket(fileno=control_fd), socket.socket(fileno=wire_fd)
    _end_with(parent)
    libraries.keep_search_path()
    try:
        facts = preload.warm_up()
        from . import runner
    except Exception as error:  # top-level guard: the supervisor gets one line
        control.sendall(json.dumps({"failed": f"{type(error).__name__}: {error}"[:1000]}).encode() + b"\n")
        return
    facts |= {"landlock_abi": 0, "uid": os.getuid(), "rss_mib": status_mib(os.getpid(), "VmRSS")}
    with control.makefile("rwb", buffering=0) as lines, control:
        lines.write(json.dumps(facts).encode() + b"\n")
        needed = lines.readline()
        if not needed:
            return
        _become_cell(output, json.loads(needed))
        lines.write(b"k\n")
    runner.serve(wire)
    os._exit(0)
