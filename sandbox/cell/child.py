"""A forked cell as its zygote sees it: what it used, how it ended. The cell itself is never asked."""

from __future__ import annotations

import os
import resource
import signal
import time
from contextlib import suppress
from typing import TypedDict

from .proc import cgroup_ooms, cpu_clock_s, run_delay_s, status_mib, status_number

_GONE_WITHIN_S = 5.0
_MAX_THREADS = 128
_NICE = 5  # so much nicer is a cell than whoever judges it or serves a page
_REST_MAX_S = 2.0  # of one cell: nobody waits longer than that for others


class Usage(TypedDict):
    """CPU seconds, the high-water mark in MiB over that of a fresh cell, seconds of waiting for a processor, and of rest."""

    cpu_s: float
    memory_mib: float
    delay_s: float
    rested_s: float


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
        self._bombed = False
        self._rested_s = 0.0
        self._rests_since: float | None = None
        self._ooms = cgroup_ooms()
        self.exit: Exit | None = None
        with suppress(OSError):  # it has ended
            nice = os.getpriority(os.PRIO_PROCESS, 0) + _NICE
            os.setpriority(os.PRIO_PGRP, pid, nice)  # the group: all of its threads

    def usage(self) -> Usage:
        """What it has used so far."""
        if self.exit is not None:
            return {name: self.exit[name] for name in Usage.__annotations__}  # type: ignore[return-value, literal-required]
        cpu_s = cpu_clock_s(self.pid) - self._cpu_before_s
        self._peak_mib = max(self._peak_mib, status_mib(self.pid, "VmHWM"))
        self._delay_s = max(self._delay_s, run_delay_s(self.pid) - self._delay_before_s)
        memory_mib = max(0.0, self._peak_mib - self._base_mib)
        return {
            "cpu_s": cpu_s,
            "memory_mib": memory_mib,
            "delay_s": self._delay_s,
            "rested_s": self._rest_so_far_s(),
        }

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
            self._send(signal.SIGKILL)
            return self.reap(within_s)
        return True

    def stop_thread_bomb(self) -> None:
        """End a cell with more threads than any honest submission has."""
        if not self.reap(0) and status_number(self.pid, "Threads") > _MAX_THREADS:
            self._bombed = True
            self._send(signal.SIGKILL)

    def rest(self) -> None:
        """Stop it while others compute, until `go_on`; not once it has rested for long enough."""
        if self._rests_since is None and self._rested_s < _REST_MAX_S and not self.reap(0):
            self._rests_since = time.monotonic()
            self._send(signal.SIGSTOP)

    def go_on(self) -> None:
        """End its rest, if it is at one."""
        if self._rests_since is not None:
            self._rested_s, self._rests_since = self._rest_so_far_s(), None
            if not self.reap(0):
                self._send(signal.SIGCONT)

    def end_long_rest(self) -> None:
        """Have it go on if it has rested for long enough."""
        if self._rest_so_far_s() >= _REST_MAX_S:
            self.go_on()

    def _rest_so_far_s(self) -> float:
        now_s = 0.0 if self._rests_since is None else time.monotonic() - self._rests_since
        return self._rested_s + now_s

    def _send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            (os.killpg if self._leads_group else os.kill)(self.pid, number)

    def _note_exit(self, status: int, used: resource.struct_rusage) -> None:
        code = os.waitstatus_to_exitcode(status)
        if self._leads_group:
            self._send(signal.SIGKILL)  # what it started, at once: its number is not given to another so soon
        cpu_s = max(0.0, used.ru_utime + used.ru_stime - self._cpu_before_s)
        peak_mib = max(self._peak_mib, used.ru_maxrss / 1024)
        self.exit = {
            "reason": self._reason(-code, cpu_s, peak_mib - self._base_mib),
            "status": max(code, 0),
            "signal": max(-code, 0),
            "cpu_s": cpu_s,
            "memory_mib": max(0.0, peak_mib - self._base_mib),
            "delay_s": self._delay_s,
            "rested_s": self._rest_so_far_s(),
        }
        self._rests_since = None

    def _reason(self, by_signal: int, cpu_s: float, memory_mib: float) -> str:
        if by_signal <= 0:
            return "exited"
        if self._bombed and by_signal == signal.SIGKILL:
            return "threads"
        if self._killed and by_signal == signal.SIGKILL:
            return "killed"
        if by_signal in (signal.SIGXCPU, signal.SIGKILL) and cpu_s > self._cpu_s - 0.5:
            return "cpu"
        out_of_memory = cgroup_ooms() > self._ooms or memory_mib > 0.8 * self._memory_mib
        return "memory" if by_signal == signal.SIGKILL and out_of_memory else "signal"
