"""Compiles the list of system calls that a cell may make into a seccomp filter, on the trusted side.

An allowlist: what is not named here is refused with EPERM (clone3 with ENOSYS, so that the C library falls back to
clone). A call of another architecture, x32 included, ends the process.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sandbox.cell.harden import OWN_PID
from sandbox.syscalls import AUDIT_ARCH, CHECKED, PLAIN, number

_LOAD, _JEQ, _JGE, _JSET, _AND, _RET = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _ERRNO, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
_X32_BIT = 0x40000000

_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x7E020000  # every CLONE_NEW* that the old call knows
_AF_UNIX, _SOCK_STREAM = 1, 1
_SOCK_TYPE_MASK = 0xF
_WRITING = (
    0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000
)  # WRONLY RDWR CREAT TRUNC APPEND and TMPFILE's own bit
_FCNTL = (0, 1, 2, 3, 4, 1030)  # DUPFD GETFD SETFD GETFL SETFL DUPFD_CLOEXEC: no locks, no owner of signals
_IOCTL = (
    0x5401,
    0x5413,
    0x541B,
    0x5421,
    0x5450,
    0x5451,
)  # TCGETS TIOCGWINSZ FIONREAD FIONBIO FIONCLEX FIOCLEX
_PRCTL = (15, 16)  # PR_SET_NAME, PR_GET_NAME

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, value


@dataclass(frozen=True)
class Filter:
    """A compiled filter for one architecture."""

    machine: str
    program: bytes


class UnknownMachine(ValueError):
    """No table of system calls for this architecture."""


def _load_argument(index: int, high: bool = False) -> Instruction:
    return (_LOAD, 0, 0, 16 + 8 * index + (4 if high else 0))  # both architectures are little-endian


def _verdict(action: int) -> Instruction:
    return (_RET, 0, 0, action)


_REFUSE = _verdict(_ERRNO | _EPERM)


def _one_of(index: int, values: Sequence[int]) -> list[Instruction]:
    """Allow when the low word of an argument is one of ``values``."""
    body = [_load_argument(index)]
    for value in values:
        body += [(_JEQ, 0, 1, value), _verdict(_ALLOW)]
    return [*body, _REFUSE]


def _clear_bits(index: int, bits: int) -> list[Instruction]:
    """Allow when none of ``bits`` is set in an argument."""
    return [_load_argument(index), (_JSET, 0, 1, bits), _REFUSE, _verdict(_ALLOW)]


def _new_thread() -> list[Instruction]:
    """clone: a thread of this process, in no new namespace."""
    return [
        _load_argument(0),
        (_JSET, 0, 1, _CLONE_NAMESPACES),
        _REFUSE,
        (_JSET, 0, 1, _CLONE_THREAD),
        _verdict(_ALLOW),
        _REFUSE,
    ]


def _socket_pair() -> list[Instruction]:
    """socketpair: AF_UNIX streams only, since a datagram socket can be sent to any address."""
    return [
        _load_argument(0),
        (_JEQ, 1, 0, _AF_UNIX),
        _REFUSE,
        _load_argument(1),
        (_AND, 0, 0, _SOCK_TYPE_MASK),
        (_JEQ, 0, 1, _SOCK_STREAM),
        _verdict(_ALLOW),
        _REFUSE,
    ]


def _null(*arguments: int) -> list[Instruction]:
    """Allow when these arguments are null (all 64 bits)."""
    body: list[Instruction] = []
    for index in arguments:
        for high in (False, True):
            body += [_load_argument(index, high), (_JEQ, 1, 0, 0), _REFUSE]
    return [*body, _verdict(_ALLOW)]


_CHECKS: dict[str, Callable[[], list[Instruction]]] = {
    "clone": _new_thread,
    "clone3": lambda: [_verdict(_ERRNO | _ENOSYS)],
    "fcntl": lambda: _one_of(1, _FCNTL),
    "ioctl": lambda: _one_of(1, _IOCTL),
    "kill": lambda: _one_of(0, [OWN_PID]),
    "open": lambda: _clear_bits(1, _WRITING),
    "openat": lambda: _clear_bits(2, _WRITING),
    "openat2": lambda: [_verdict(_ERRNO | _ENOSYS)],
    "prctl": lambda: _one_of(0, _PRCTL),
    "prlimit64": lambda: _null(0, 2),  # asking, and about itself
    "sendto": lambda: _null(4),  # to the peer, to no other address
    "socketpair": _socket_pair,
    "tgkill": lambda: _one_of(0, [OWN_PID]),
}


def _instructions(machine: str) -> list[Instruction]:
    program: list[Instruction] = [
        (_LOAD, 0, 0, 4),
        (_JEQ, 1, 0, AUDIT_ARCH[machine]),
        _verdict(_KILL_PROCESS),
        (_LOAD, 0, 0, 0),
    ]
    if machine == "x86_64":
        program += [(_JGE, 0, 1, _X32_BIT), _verdict(_KILL_PROCESS)]
    for name in PLAIN:
        if (call := number(name, machine)) is not None:
            program += [(_JEQ, 0, 1, call), _verdict(_ALLOW)]
    for name in CHECKED:
        if (call := number(name, machine)) is not None:
            body = _CHECKS[name]()
            program += [(_JEQ, 0, len(body), call), *body]
    return [*program, _REFUSE]


@lru_cache(maxsize=4)
def compile_filter(machine: str | None = None) -> Filter:
    """The filter of a cell on ``machine`` (default: this one). Raises UnknownMachine."""
    machine = machine or platform.machine()
    if machine not in AUDIT_ARCH:
        raise UnknownMachine(machine)
    packed = b"".join(struct.pack("=HBBI", *instruction) for instruction in _instructions(machine))
    return Filter(machine, packed)
