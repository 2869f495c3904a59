"""Names a process for good, so that what it left behind can be told from what a living one still uses."""

from __future__ import annotations

import os


def own_identity() -> str:
    """This process: boot, process namespace, id and start time. A later process with the same id differs."""
    return f"{_world()}:{os.getpid()}:{_start_time(os.getpid())}"


def has_ended(identity: str) -> bool:
    """Whether that process has ended for certain; False for one of another boot, namespace or machine."""
    world, pid, start_time = (["", "", *identity.rsplit(":", 2)])[-3:]
    return world == _world() and pid.isdigit() and _start_time(int(pid)) != start_time


def _world() -> str:
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as boot_id:
        return f"{boot_id.read().strip()}:{os.readlink('/proc/self/ns/pid')}"


def _start_time(pid: int) -> str:
    """Field 22 of the process's stat, or an empty string."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
