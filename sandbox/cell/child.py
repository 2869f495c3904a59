"""A forked cell as its zygote sees it: what it used, how it ended. The cell itself is never asked."""

from __future__ import annotations

import functools
import os
import resource
import signal
import time
from contextlib import suppress
from typing import TypedDict

_GONE_WITHIN_S = 5.0
_MAX_THREADS = 128
_NICE = 5  # so much nicer is a cell than whoever judges it or serves a page
_LONG_S, _NICER = 0.5, 10  # CPU seconds after which it gives way to other cells as well


class Usage(TypedDict):
    """CPU seconds, the high-water mark in MiB over that of a fresh cell, and seconds of waiting for a processor."""

    cpu_s: float
    memory_mib: float
    delay_s: float


class Exit(Usage):
    """The fields of sandbox.contract.Exit, as they cross the control socket."""

    reason: str
    status: int
    signal: int


class Child:
    """A child as its zygote or supervisor sees it; reaped at most once."""

    def __init__(
        self,
        pid: int,
        base_mib: float,
        memory_mib: int,
        cpu_s: int,
        *,
        cpu_before_s: float = 0.0,
        leads_group: bool = False,
    ) -> None:
        """``cpu_before_s``: what it used before it was a cell; ``leads_group``: its descendants end with it."""
        self.pid = pid
        self._cpu_before_s = cpu_before_s
        self._leads_group = leads_group
        self._base_mib = base_mib
        self._memory_mib = memory_mib
        self._cpu_s = cpu_s
        self._killed = False
        self._peak_mib = self._delay_s = 0.0
        self._delay_before_s = run_delay_s(pid)
        self._bombed = self._gave_way = False
        self._ooms = _cgroup_ooms()
        self.exit: Exit | None = None
        self._be_nice(_NICE)

    def usage(self) -> Usage:
        """CPU seconds and high-water mark (MiB, less what a fresh cell has) so far."""
        if self.exit is not None:
            ended = self.exit
            return {"cpu_s": ended["cpu_s"], "memory_mib": ended["memory_mib"], "delay_s": ended["delay_s"]}
        cpu_s = cpu_clock_s(self.pid) - self._cpu_before_s
        self._peak_mib = max(self._peak_mib, status_mib(self.pid, "VmHWM"))
        self._delay_s = max(self._delay_s, run_delay_s(self.pid) - self._delay_before_s)
        memory_mib = max(0.0, self._peak_mib - self._base_mib)
        return {"cpu_s": cpu_s, "memory_mib": memory_mib, "delay_s": self._delay_s}

    def reap(self, timeout_s: float) -> bool:
        """Whether the cell has ended, waiting at most ``timeout_s``."""
        deadline = time.monotonic() + timeout_s
        pause_s = 0.0002
        while self.exit is None:
            pid, status, used = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self._note_exit(status, used)
            elif time.monotonic() >= deadline:
                return False
            else:
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, 0.005)
        return True

    def kill(self, within_s: float = _GONE_WITHIN_S) -> bool:
        """End it, if it has not ended by itself; whether it is gone in time."""
        if not self.reap(0):
            self._killed = True
            self._send_kill()
            return self.reap(within_s)
        return True

    def stop_thread_bomb(self) -> None:
        """End a cell with more threads than any honest submission has."""
        if not self.reap(0) and _status_number(self.pid, "Threads") > _MAX_THREADS:
            self._bombed = True
            self._send_kill()

    def give_way(self) -> None:
        """Have a cell that computes for long leave the processor to others.

        Its verdict does not change: CPU time counts, and waiting for a processor does not.
        """
        if not self._gave_way and self.exit is None and self.usage()["cpu_s"] > _LONG_S:
            self._gave_way = True
            self._be_nice(_NICER)

    def _be_nice(self, more: int) -> None:
        with suppress(OSError):  # it has ended
            nice = os.getpriority(os.PRIO_PROCESS, 0) + more
            os.setpriority(os.PRIO_PGRP, self.pid, nice)  # the group: all of its threads

    def _send_kill(self) -> None:
        with suppress(ProcessLookupError):
            (os.killpg if self._leads_group else os.kill)(self.pid, signal.SIGKILL)

    def _note_exit(self, status: int, used: resource.struct_rusage) -> None:
        code = os.waitstatus_to_exitcode(status)
        if self._leads_group:
            self._send_kill()  # what it started, at once: its number is not given to another so soon
        cpu_s = max(0.0, used.ru_utime + used.ru_stime - self._cpu_before_s)
        peak_mib = max(self._peak_mib, used.ru_maxrss / 1024)
        self.exit = {
            "reason": self._reason(-code, cpu_s, peak_mib - self._base_mib),
            "status": max(code, 0),
            "signal": max(-code, 0),
            "cpu_s": cpu_s,
            "memory_mib": max(0.0, peak_mib - self._base_mib),
            "delay_s": self._delay_s,
        }

    def _reason(self, by_signal: int, cpu_s: float, memory_mib: float) -> str:
        if by_signal <= 0:
            return "exited"
        if self._bombed and by_signal == signal.SIGKILL:
            return "threads"
        if self._killed and by_signal == signal.SIGKILL:
            return "killed"
        if by_signal in (signal.SIGXCPU, signal.SIGKILL) and cpu_s > self._cpu_s - 0.5:
            return "cpu"
        out_of_memory = _cgroup_ooms() > self._ooms or memory_mib > 0.8 * self._memory_mib
        return "memory" if by_signal == signal.SIGKILL and out_of_memory else "signal"


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


def _status_number(pid: int, field: str) -> int:
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
    return _status_number(pid, field) / 1024  # the kernel writes kB


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


def _cgroup_ooms() -> int:
    """How often this cgroup ran out of memory so far; 0 where that cannot be read: memory is bounded all the same."""
    for path in _own_cgroup_files():
        try:
            with open(path, encoding="ascii") as events:
                return next((int(line.split()[1]) for line in events if line.startswith("oom_kill ")), 0)
        except OSError:
            continue
    return 0
