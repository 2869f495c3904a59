"""The grader's end of one cell's wire: sends and receives under a budget, and drains what the cell prints meanwhile.

A cell may stop reading, stop answering, write without being asked or print without end; each ends in one of the
errors below, and never in a hang.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

from sandbox.cell.proc import own_run_delay_s
from sandbox.cell.wire import Frame, pack, read_frame, receive_some, send_some
from sandbox.client import Cell
from sandbox.contract import Usage
from sandbox.output import Output

_WALL_FACTOR = 3
_CPU_FACTOR = 2  # a call runs on so far beyond its limit: who is over by less is judged once more
_LONGEST_FACTOR = 15  # of waiting, however busy the machine is
_PACES = 4  # looks at the CPU clock within one limit
_LONG_S = 0.01  # CPU seconds after which a case computes for long: it rests while shorter ones are judged
_UNASKED_MAX_S = 0.003  # of work at most: tiny cases in a row are not worth a question each
_LONG_WAIT_S = 0.05  # of waiting, likewise: one who sleeps lets nobody rest for it


class Gone(Exception):
    """The cell closed its end, or wrote what it was not asked for (``hostile``)."""

    def __init__(self, *, hostile: bool = False) -> None:
        super().__init__(hostile)
        self.hostile = hostile


class TooMuchOutput(Exception):
    """The cell printed more than the judgement allows."""


class OverTime(Exception):
    """The budget is used up."""


@dataclass
class Budget:
    """CPU seconds of the cell, and three times as many seconds of waiting for it while it was free to run."""

    limit_s: float
    before: Usage  # what the cell had used when the budget began
    unasked_s: float = 0.0  # it was busy since its zygote was last asked, before the budget began
    cpu_s: float = 0.0  # used within the budget, as last seen
    waited_s: float = 0.0  # time that the grader spent waiting, its own work not counted
    busy_s: float = 0.0  # time in which the cell had something to do, whatever the grader did meanwhile
    delayed_s: float = 0.0  # of these, when cell or grader was ready to run and was not let; as last seen
    rested_s: float = 0.0  # of these, when we had stopped the cell for others; as last seen
    long: bool = False  # it has computed, or was waited for, for long
    looked_ahead: bool = False  # once: most cases make one call
    _look_at_s: float = 0.0
    _own_before_s: float = 0.0

    def __post_init__(self) -> None:
        self._look_at_s = min(_LONG_S, self.limit_s / _PACES)
        self._own_before_s = own_run_delay_s()

    @property
    def patience_s(self) -> float:
        """How long to wait before the next look."""
        return max(0.0, self._look_at_s - self.waited_s)

    @property
    def awake_s(self) -> float:
        """Time spent waiting for a cell that we had not stopped."""
        return self.waited_s - self.rested_s

    @property
    def worth_asking(self) -> bool:
        """Whether the cell can have used anything to speak of since its zygote was last asked."""
        return self.unasked_s + self.busy_s >= _UNASKED_MAX_S

    @property
    def near(self) -> bool:
        """Whether a timeout now is by less than twofold, or the machine was too busy to tell."""
        if self.cpu_s > self.limit_s:
            return self.cpu_s < _CPU_FACTOR * self.limit_s
        return self.delayed_s > self.limit_s

    def look(self, cell: Cell, *, final: bool = False) -> None:
        """Asks for the cell's clock where it is time to, and at the end of a call that may be over; raises OverTime."""
        due = self.waited_s >= self._look_at_s and (self.long or not final)
        if due or (final and self.waited_s > self.limit_s):
            self.note(cell.usage())
            self._look_at_s = self.waited_s + (self.limit_s / _PACES if self.long else _LONG_S)
        free_s = max(self.awake_s - self.delayed_s, self.awake_s * _WALL_FACTOR / _LONGEST_FACTOR)
        most_s = self.limit_s if final else _CPU_FACTOR * self.limit_s
        if self.cpu_s > most_s or free_s > _WALL_FACTOR * self.limit_s:
            raise OverTime

    def note(self, used: Usage) -> None:
        """Takes the cell's word from its zygote."""
        self.cpu_s = used.cpu_s - self.before.cpu_s
        self.delayed_s = used.delay_s - self.before.delay_s + own_run_delay_s() - self._own_before_s
        self.rested_s = used.rested_s - self.before.rested_s
        self.long = self.long or self.cpu_s >= _LONG_S or self.waited_s - self.delayed_s >= _LONG_WAIT_S


class Channel:
    """One cell's wire and output pipe. ``budget`` is replaced at each load and each case."""

    def __init__(self, cell: Cell, output: Output, budget: Budget, on_long: Callable[[], None]) -> None:
        """``on_long`` is called once a load or a case has become long (see Budget)."""
        self.cell = cell
        self.budget = budget
        self._output = output
        self._on_long = on_long
        self._wire: socket.socket = cell.wire
        self._wire.setblocking(False)
        os.set_blocking(cell.output, False)
        self._waiting_since = self._busy_since = 0.0
        self._poll = select.poll()
        self._poll.register(cell.output, select.POLLIN)

    def send(self, frame: Frame) -> None:
        """Sends a whole frame; raises Gone, OverTime or TooMuchOutput."""
        self.check_silence()
        self.cell.goes_on()
        self._waiting_since = self._busy_since = time.monotonic()
        buffers = pack(frame)
        while buffers:
            try:
                send_some(self._wire, buffers)
            except BlockingIOError:
                self._wait(select.POLLOUT | select.POLLIN)
                self.check_silence()
            except OSError:
                raise Gone from None

    def receive(self) -> Frame:
        """The next frame; raises WireError, Gone, OverTime or TooMuchOutput."""
        self._waiting_since = time.monotonic()
        frame = read_frame(self._fill)
        self._count()
        self.budget.busy_s += self._waiting_since - self._busy_since
        self._busy_since = self._waiting_since
        if self.budget.worth_asking and not self.budget.looked_ahead:
            self.budget.looked_ahead = True
            self.cell.look_ahead()
        self.drain()
        self._count()
        self.budget.look(self.cell, final=True)
        return frame

    def check_silence(self) -> None:
        """Raises Gone if the cell has written without being asked, or closed its end."""
        try:
            unasked = self._wire.recv(1)
        except BlockingIOError:
            return
        except OSError:
            raise Gone from None
        raise Gone(hostile=bool(unasked))

    def drain(self) -> None:
        """Takes what the cell has printed; raises TooMuchOutput."""
        if not self._output.drain(self.cell.output):
            self._forget_output()
        if self._output.over_limit:
            raise TooMuchOutput

    def _fill(self, views: list[memoryview]) -> None:
        while views:
            try:
                if not receive_some(self._wire, views):
                    raise Gone
            except BlockingIOError:
                self._wait(select.POLLIN)
            except OSError:
                raise Gone from None

    def _wait(self, events: int) -> None:
        self._poll.register(self._wire, events)
        ready = self._poll.poll(1000 * self.budget.patience_s + 1)
        self._count()
        if any(fd == self.cell.output for fd, _event in ready):
            self.drain()
        was_long = self.budget.long
        self.budget.look(self.cell)
        if self.budget.long and not was_long:
            self._on_long()

    def _count(self) -> None:
        """Counts all the time since a send or a receive began: one who drips bytes wins none."""
        now = time.monotonic()
        self.budget.waited_s += now - self._waiting_since
        self._waiting_since = now

    def _forget_output(self) -> None:
        try:
            self._poll.unregister(self.cell.output)
        except KeyError:  # already forgotten
            return
