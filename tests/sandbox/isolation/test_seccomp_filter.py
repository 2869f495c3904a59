"""The compiled filter, run by a small interpreter: what it says to each call, on both architectures."""

from __future__ import annotations

import struct

import pytest

from sandbox.cell.harden import OWN_PID, fill_in_pid
from sandbox.seccomp import UnknownMachine, compile_filter
from sandbox.syscalls import AUDIT_ARCH, CHECKED, PLAIN, number

_ALLOW, _EPERM, _ENOSYS, _KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
_THREAD = 0x3D0F00  # what pthread_create asks of clone
_PID = 4321

both = pytest.mark.parametrize("machine", sorted(AUDIT_ARCH))


def verdict(machine: str, call: int, *arguments: int, arch: int | None = None) -> int:
    """Run the filter on one call."""
    data = struct.pack(
        "=iIQ6Q", call, arch or AUDIT_ARCH[machine], 0, *arguments, *[0] * (6 - len(arguments))
    )
    program = [*struct.iter_unpack("=HBBI", fill_in_pid(compile_filter(machine).program, _PID))]
    at = accumulator = 0
    while True:
        code, if_true, if_false, value = program[at]
        at += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            accumulator = struct.unpack_from("=I", data, value)[0]
        elif code == 0x54:
            accumulator &= value
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: accumulator & value != 0}[
                code
            ]
            at += if_true if holds else if_false


def say(machine: str, name: str, *arguments: int) -> int:
    """Run the filter on a call by name."""
    call = number(name, machine)
    assert call is not None
    return verdict(machine, call, *arguments)


@both
def test_plain_calls_are_allowed_and_all_others_refused(machine: str) -> None:
    known = {number(name, machine) for name in PLAIN}
    looked_at = {number(name, machine) for name in CHECKED}
    for call in range(600):
        if call not in looked_at:
            assert verdict(machine, call) == (_ALLOW if call in known else _EPERM)


@both
def test_another_architecture_ends_the_process(machine: str) -> None:
    assert verdict(machine, 1, arch=0x40000003) == _KILL


def test_x32_ends_the_process() -> None:
    assert verdict("x86_64", 0x40000000 + 39) == _KILL


@both
def test_clone_makes_threads_and_nothing_else(machine: str) -> None:
    assert say(machine, "clone", _THREAD) == _ALLOW
    assert say(machine, "clone", 17) == _EPERM  # fork
    assert say(machine, "clone", 0x4000 | 0x100 | 17) == _EPERM  # vfork
    assert say(machine, "clone", _THREAD | 0x10000000) == _EPERM  # a user namespace
    assert say(machine, "clone3") == _ENOSYS  # so that the C library asks clone


@both
def test_files_are_opened_for_reading_only(machine: str) -> None:
    assert say(machine, "openat", 0, 0, 0o2000000) == _ALLOW  # close on exec
    for flags in (0o1, 0o2, 0o101, 0o1000, 0o20200002):
        assert say(machine, "openat", 0, 0, flags) == _EPERM
    assert say(machine, "openat2") == _ENOSYS


@both
def test_signals_go_to_itself_only(machine: str) -> None:
    assert say(machine, "tgkill", _PID, 1, 6) == _ALLOW
    assert say(machine, "kill", _PID, 9) == _ALLOW
    for other in (0, 1, _PID + 1, OWN_PID, 0xFFFFFFFF):
        assert say(machine, "kill", other, 0) == _EPERM
        assert say(machine, "tgkill", other, 1, 0) == _EPERM


@both
def test_sockets_are_unix_streams_in_pairs(machine: str) -> None:
    cloexec = 0o2000000
    assert say(machine, "socketpair", 1, 1 | cloexec) == _ALLOW
    assert say(machine, "socketpair", 1, 2) == _EPERM
    assert say(machine, "socketpair", 2, 1) == _EPERM
    assert say(machine, "sendto", 3, 0, 0, 0, 0) == _ALLOW
    assert (
        say(machine, "sendto", 3, 0, 0, 0, 1 << 40) == _EPERM
    )  # an address, even one with an empty low word


@both
def test_limits_are_asked_for_and_not_set(machine: str) -> None:
    assert say(machine, "prlimit64", 0, 7, 0, 1) == _ALLOW
    assert say(machine, "prlimit64", 0, 7, 1 << 33, 0) == _EPERM
    assert say(machine, "prlimit64", 1, 7, 0, 1) == _EPERM


@both
def test_descriptors_keep_their_owner(machine: str) -> None:
    assert say(machine, "fcntl", 3, 1030) == _ALLOW
    assert say(machine, "fcntl", 3, 8) == _EPERM  # F_SETOWN sends signals
    assert say(machine, "ioctl", 3, 0x5401) == _ALLOW
    assert say(machine, "ioctl", 3, 0x5412) == _EPERM  # TIOCSTI types for others


def test_an_unknown_machine_is_named() -> None:
    with pytest.raises(UnknownMachine, match="sparc"):
        compile_filter("sparc")
