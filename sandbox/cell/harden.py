"""What a fresh fork does to itself before it may see a learner's byte: it gives up all that it does not need.

Nothing here can be undone by the process itself. The order matters: seccomp comes last.
"""

from __future__ import annotations

import os
import resource
import signal
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from . import kernel

OWN_PID = 0x5EC0_0001
"""Stands for the cell's process id in a compiled filter; put in here, since the trusted side cannot know it."""

_JUMP_IF_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_MAX_OPEN_FILES = 64


@dataclass(frozen=True)
class Bounds:
    """What the kernel itself holds a cell to: bytes over the zygote's size, and CPU seconds over its life."""

    memory_bytes: int
    cpu_s: int


def virtual_size() -> int:
    """This process's address space in bytes."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def fill_in_pid(program: bytes, pid: int) -> bytes:
    """The filter with ``pid`` wherever it compares with OWN_PID."""
    filled = bytearray(program)
    for at in range(0, len(filled), 8):
        code, _, _, value = struct.unpack_from("=HBBI", filled, at)
        if code == _JUMP_IF_EQUAL and value == OWN_PID:
            struct.pack_into("=I", filled, at + 4, pid)
    return bytes(filled)


def become(user: int) -> None:
    """Turn from root into ``user`` for good, group and groups too; -1 changes nothing. Raises OSError."""
    if user > 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        kernel.drop_capabilities()


def disarm() -> None:
    """What zygote and cell have in common: no capability, no privilege to gain, unreadable by others of its uid."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if os.geteuid() == 0:
        kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _detach(parent: int) -> None:
    """Leave the zygote's session, and die with it."""
    os.setsid()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def _own_stdin() -> None:
    """Open /dev/null anew: the flags of the zygote's own are shared by its cells, and would carry bits to the next."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


def close_all_but(keep: Iterable[int]) -> None:
    """Close every descriptor below the limit on open files, except ``keep``."""
    low = 0
    for descriptor in sorted({*keep, resource.getrlimit(resource.RLIMIT_NOFILE)[0]}):
        if (
            low < descriptor
        ):  # an empty range from 0 would close everything (CPython passes 0 - 1 to the kernel)
            os.closerange(low, descriptor)
        low = descriptor + 1


def _die_first() -> None:
    """Be the first that the kernel ends when memory runs out."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # else /proc/self belongs to root
    score = os.open(
        "/proc/self/oom_score_adj", os.O_WRONLY
    )  # open() would touch, and so copy, many more pages
    os.write(score, b"1000")
    os.close(score)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def limit(bounds: Bounds) -> None:
    """Have the kernel hold this process to ``bounds``, to no file of its own and to few open ones."""
    size = virtual_size() + bounds.memory_bytes
    limits = {
        resource.RLIMIT_AS: (size, size),
        resource.RLIMIT_CPU: (bounds.cpu_s, bounds.cpu_s + 1),  # SIGXCPU, a second later SIGKILL
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_NOFILE: (_MAX_OPEN_FILES, _MAX_OPEN_FILES),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MEMLOCK: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
    }
    for which, pair in limits.items():
        resource.setrlimit(which, pair)


def shed(*, parent: int, output: int, keep: Iterable[int]) -> None:
    """Give up what this fork of process ``parent`` has and a cell must not have. Raises OSError.

    ``output`` becomes stdout and stderr, ``keep`` are the other descriptors that stay open.
    """
    _detach(parent)
    _own_stdin()
    os.dup2(output, 1)
    os.dup2(output, 2)
    close_all_but({0, 1, 2, *keep})
    os.environ.clear()
    _die_first()


def bind(ruleset: int, bounds: Bounds, program: bytes) -> None:
    """Turn this process into a cell, after `shed`. Raises OSError; it must then not go on.

    ``ruleset`` is a Landlock ruleset (-1: the kernel has none), ``program`` the seccomp filter with OWN_PID in it.
    """
    limit(bounds)
    disarm()
    if ruleset >= 0:
        kernel.landlock_restrict(ruleset)
        os.close(ruleset)
    kernel.seccomp_install(fill_in_pid(program, os.getpid()))
