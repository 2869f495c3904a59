"""What the kernel tells of a process, which the process itself has no part in: clocks, memory, kills of its cgroup."""

from __future__ import annotations

import functools
import os
import time


def cpu_clock_s(pid: int) -> float:
    """CPU seconds of a process that has not been reaped (its CPU clock, as clock_getcpuclockid makes it)."""
    return time.clock_gettime((~pid << 3) | 2)


def run_delay_s(pid: int) -> float:
    """Seconds that a process's first thread was ready to run and was not let; 0 where the kernel does not say."""
    return _delay_in(_told_of(pid, "schedstat"))


def own_run_delay_s() -> float:
    """`run_delay_s` of this process. It is asked several times a case, so the file stays open."""
    file = _own_schedstat(os.getpid())
    return 0.0 if file < 0 else _delay_in(os.pread(file, 200, 0))


@functools.lru_cache(maxsize=1)  # a fork has a file of its own
def _own_schedstat(pid: int) -> int:
    try:
        return os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def _delay_in(schedstat: bytes) -> float:
    try:
        return int(schedstat.split()[1]) / 1e9
    except (IndexError, ValueError):
        return 0.0


def status_number(pid: int, field: str) -> int:
    """A field of a process's status; 0 when it has gone."""
    _, _, rest = _told_of(pid, "status").partition(b"\n%s:" % field.encode())
    return int(rest.split(None, 1)[0]) if rest else 0


def _told_of(pid: int, name: str) -> bytes:
    """What the kernel tells of a process; empty when it has gone."""
    try:
        file = os.open(f"/proc/{pid}/{name}", os.O_RDONLY)  # open() with its buffers takes twice as long
    except OSError:
        return b""
    try:
        return os.read(file, 8192)
    except OSError:
        return b""
    finally:
        os.close(file)


def status_mib(pid: int, field: str) -> float:
    """A field of a process's status in MiB; 0 when it has gone."""
    return status_number(pid, field) / 1024  # the kernel writes kB


def cgroup_files(table: str, root: str = "/sys/fs/cgroup") -> list[str]:
    """Where the kernel counts this process's cgroup's out-of-memory kills, given /proc/self/cgroup; the likeliest first.

    Version 2 has one line (``0::/path``), version 1 one for each controller. Inside a container the path may be the
    engine's, and the cgroup itself what is mounted.
    """
    files = []
    for line in table.splitlines():
        number, controllers, path = [*line.split(":", 2), "", ""][:3]
        if "memory" in controllers.split(","):
            files += [f"{root}/memory{path}/memory.oom_control", f"{root}/memory/memory.oom_control"]
        elif number == "0" and not controllers:
            files += [f"{root}{path}/memory.events", f"{root}/memory.events"]
    return files


@functools.cache
def _own_cgroup_files() -> list[str]:
    try:
        with open("/proc/self/cgroup", encoding="utf-8", errors="replace") as table:
            return [path for path in cgroup_files(table.read()) if os.path.exists(path)]
    except OSError:
        return []


def cgroup_ooms() -> int:
    """How often this cgroup ran out of memory so far; 0 where that cannot be read: memory is bounded all the same."""
    for path in _own_cgroup_files():
        try:
            with open(path, encoding="ascii") as events:
                return next((int(line.split()[1]) for line in events if line.startswith("oom_kill ")), 0)
        except OSError:
            continue
    return 0
