"""Who computes while there are fewer cores than work: cells that have computed for long rest while a short one is judged.

Short work first is what makes a verdict come in a blink beside an endless loop, which no priority does: a cell of the
lowest class still costs #189 a third of its time (docs/performance.md). The CPU time of a cell stands still in a rest, and its
zygote ends a rest that has become too long.
"""

from __future__ import annotations

import threading
from contextlib import suppress

from sandbox.backend import Zygote
from sandbox.client import ZygoteClient
from sandbox.contract import SandboxFault

_CORES_OF_SHORT = 2  # its cell and its grader compute side by side; beside a long call, the grader waits


class Rests:
    """The zygotes of a pool that are in use, and whose cells rest. Thread-safe."""

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._lock = threading.Lock()
        self._long: dict[Zygote, bool] = {}  # of each in use, the oldest first: has it computed for long
        self._resting: set[Zygote] = set()

    def begin(self, zygote: Zygote) -> None:
        """A judgement begins with it: short until told otherwise."""
        with self._lock:
            self._long[zygote] = False
            self._settle()

    def note(self, zygote: Zygote, long: bool) -> None:
        """Its cell has computed for long, or is done with that."""
        with self._lock:
            if zygote in self._long:
                self._long[zygote] = long
                self._settle()

    def end(self, zygote: Zygote) -> None:
        """Its judgement is over; from here on it is told nothing."""
        with self._lock:
            self._long.pop(zygote, None)
            self._resting.discard(zygote)
            self._settle()

    def _settle(self) -> None:
        """With the lock held: where somebody short needs the cores, as many long ones go on as find one."""
        long = [zygote for zygote, is_long in self._long.items() if is_long]
        short = len(self._long) - len(long)
        room = max(0, self._cores - _CORES_OF_SHORT * short) if short else len(long)
        wanted = set(long[room:])
        for zygote in wanted ^ self._resting:
            with suppress(SandboxFault, ValueError):  # ended or closed: its judgement learns of that
                ZygoteClient(zygote.control).begin("rest" if zygote in wanted else "go_on")
        self._resting = wanted
