"""One judgement's dealings with cells: each case gets a loaded cell, a budget, and an account of what it used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import ModuleType
from typing import Any, Literal, NoReturn

from sandbox.calls import Calls, NotLoaded, OutOfMemory
from sandbox.cell.caps import MAX_SOURCE_BYTES, WireError
from sandbox.cell.values import dataclasses_of
from sandbox.channel import Budget, Channel, Gone, OverTime, TooMuchOutput
from sandbox.client import ZygoteClient
from sandbox.contract import (
    CaseUsage,
    CellDied,
    Exit,
    Limits,
    LoadFailed,
    Program,
    SandboxFault,
    Timeout,
    Usage,
)
from sandbox.messages import ArgumentEncoder
from sandbox.output import Output
from sandbox.proxy import Handle, Submission

OnCall = Callable[[str, tuple[Any, ...], dict[str, Any]], None]
Why = Literal["died", "memory", "output", "protocol", "threads"]

_EXIT_WAIT_S = 0.3
_LEARNERS = ("syntax", "missing", "not-callable", "raised", "memory")


class Session:
    """Cells for the cases of one judgement. ``deaths``: cells lost in a case; ``load_s``: CPU seconds of loads;
    ``delayed_s``: seconds of its cases in which the machine was busy with others.

    ``on_call`` is told name, args and kwargs of each call; ``meanwhile`` is called while the cell is at one; ``on_long`` is told
    that a load or a case has computed for long, and when it is over. The dataclasses that may cross are those of
    ``support_module``, by default the module ``support`` as the cases import it.
    """

    def __init__(
        self,
        client: ZygoteClient,
        program: Program,
        limits: Limits,
        cell_seed: int,
        on_call: OnCall | None = None,
        meanwhile: Callable[[], None] | None = None,
        support_module: ModuleType | None = None,
        on_long: Callable[[bool], None] | None = None,
    ) -> None:
        self.deaths = 0
        self.load_s = 0.0
        self.delayed_s = 0.0
        self._client = client
        self._program = program
        self._limits = limits
        self._seed = cell_seed
        self._on_call, self._meanwhile, self._on_long = on_call, meanwhile, on_long
        self._is_long = False  # as last told
        support = support_module or sys.modules.get("support")
        self._classes = dataclasses_of(support) if support is not None and program.support is not None else {}
        self._output = Output(limits.output_limit_kib)
        self._channel: Channel | None = None
        self._calls: Calls | None = None
        self._usage = Usage(0.0, 0.0)  # of the cell, at the start of the case
        self._unasked_s = 0.0  # see Budget
        self._budget = Budget(limits.time_limit_s, self._usage)
        self._died: Exit | None = None
        self._ready: ArgumentEncoder | None = None
        self._spawning = ""  # a cell that has begun

    def spawn_ahead(self) -> None:
        """Have the first cell made now: something else can be done meanwhile. Raises SandboxFault."""
        self._spawning = self._client.begin_spawn(self._limits)

    def begin_case(self) -> Submission:
        """The submission, loaded into a fresh cell where none is alive; raises LoadFailed or SandboxFault."""
        self._output.start_case()
        self._died = None
        if self._channel is not None and not self._is_silent():
            self.deaths += 1
            self._abandon()
        if self._calls is None:
            self._start()
        assert self._channel is not None and self._calls is not None
        self._budget = self._channel.budget = Budget(self._limits.time_limit_s, self._usage, self._unasked_s)
        self._calls.start_case()
        return Submission(self, self._program.entry_points)

    def end_case(self) -> CaseUsage:
        """What the case used and printed. Always to be called, also when the cell is gone.

        Of tiny cases in a row, the CPU time is how long the cell had each, until their sum is worth asking about.
        """
        if self._channel is not None:
            self._output.drain(self._channel.cell.output)
        ended, cpu_s = self._used_so_far()
        if self._calls is not None and self._calls.running:  # a callback of the case's cut its call short
            self._abandon()
        self._budget.note(ended)
        self._tell_long(False)
        self.delayed_s += self._budget.delayed_s + self._budget.rested_s
        self._usage = ended
        text, cut = self._output.case_text()
        return CaseUsage(cpu_s, self._budget.awake_s, ended.memory_mib, text, cut, self._died)

    def _used_so_far(self) -> tuple[Usage, float]:
        """What the cell has used, and how many CPU seconds of these the case has."""
        before, busy_s, unasked_s = self._usage, self._budget.busy_s, self._unasked_s
        if self._channel is None:
            ended = self._died.usage if self._died is not None else before
        elif self._budget.worth_asking:
            ended = self._channel.cell.usage()
        else:
            self._unasked_s += busy_s
            return replace(before, cpu_s=before.cpu_s + busy_s), busy_s
        self._unasked_s = 0.0
        # those that were not asked about may have been given more than there was
        share = busy_s / (unasked_s + busy_s) if busy_s else 0.0
        used_s = ended.cpu_s - before.cpu_s
        return ended, max(0.0, used_s, share * (used_s + unasked_s))

    def close(self) -> None:
        """Ends the cell, if one is alive. A zygote that no longer answers is the pool's to see."""
        with suppress(SandboxFault):
            self._abandon()

    def leave(self) -> None:
        """Lets go of the cell, for whoever resets the zygote to end: that need not be waited for."""
        if self._channel is not None:
            self._forget()

    def request(self, op: str, target: tuple[str, Any], /, *args: Any, **kwargs: Any) -> Any:
        """One request to the cell, on behalf of a proxy."""
        ready, self._ready = self._ready, None  # of this request, however it ends
        if self._calls is None:
            raise CellDied(self._died) if self._died else SandboxFault("a call outside of a case")
        if self._on_call is not None and op == "call":
            self._on_call(_shown(target), args, kwargs)
        with self._losing_cells():
            return self._calls.request(op, target, args, kwargs, self._meanwhile, ready)

    def encode(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ArgumentEncoder | None:
        """The arguments of a request to come, for `expect`; None for those that wait until it is made."""
        encoder = ArgumentEncoder(self._classes)
        try:
            encoder.message(args, kwargs)
        except TypeError:  # a handle or a callback belongs to one cell or one case; or it cannot cross at all
            return None
        return encoder

    def expect(self, ready: ArgumentEncoder | None) -> None:
        """The next request's arguments are those of ``ready``."""
        self._ready = ready

    def _start(self) -> None:
        check_source(self._program.source)
        spawning, self._spawning = self._spawning, ""
        cell = self._client.spawned(spawning) if spawning else self._client.spawn(self._limits)
        self._usage, self._unasked_s = Usage(0.0, 0.0), 0.0
        budget = self._budget = Budget(self._limits.load_limit_s, self._usage)
        self._channel = Channel(cell, self._output, budget, lambda: self._tell_long(True))
        self._calls = Calls(self._channel, self._classes, self)
        deaths = self.deaths
        try:
            with self._losing_cells():
                self._load(self._calls)
        except CellDied as died:
            kind = died.why if died.why in ("memory", "output", "threads") else "died"
            raise LoadFailed(kind) from None
        except Timeout as timeout:
            raise LoadFailed("timeout", near=timeout.near) from None
        finally:
            self.deaths = deaths
            self._tell_long(False)
            if self._channel is not None:
                self._usage = self._channel.cell.usage()
            self.load_s += self._died.usage.cpu_s if self._died is not None else self._usage.cpu_s

    def _load(self, calls: Calls) -> None:
        program, entry_points = self._program, list(self._program.entry_points)
        try:
            calls.request("prepare", ("entry", ""), (program.support, program.harness), {})
        except NotLoaded as failed:  # no learner's byte has been read yet
            self._abandon()
            text = failed.fault.message if failed.fault is not None else ""
            raise SandboxFault(f"{failed.entry} could not be loaded: {text}") from None
        try:
            args = (program.source, program.filename, entry_points, self._seed)
            calls.request("load", ("entry", ""), args, {})
        except NotLoaded as failed:
            self._abandon()
            if failed.kind not in _LEARNERS or (failed.entry and failed.entry not in entry_points):
                raise LoadFailed("died") from None
            raise LoadFailed(failed.kind, fault=failed.fault, entry=failed.entry, line=failed.line) from None

    def _tell_long(self, long: bool) -> None:
        if self._on_long is not None and long != self._is_long:
            self._is_long = long
            self._on_long(long)

    @contextmanager
    def _losing_cells(self) -> Iterator[None]:
        """Turns the end of a cell into what the contract says of it."""
        try:
            yield
        except Gone as gone:
            self._lose("protocol" if gone.hostile else "died")
        except WireError:
            self._lose("protocol")
        except TooMuchOutput:
            self._lose("output")
        except OutOfMemory:
            self._lose("memory")
        except OverTime:
            self._lose(None)

    def _lose(self, why: Why | None) -> NoReturn:
        """Ends the cell and raises CellDied, or Timeout where its time was up (None)."""
        assert self._channel is not None
        cell = self._channel.cell
        ended = (cell.wait(_EXIT_WAIT_S) if why == "died" else None) or cell.kill()
        self.deaths += 1
        self._output.drain(cell.output)
        self._forget()
        self._died = ended
        if why is None or (why == "died" and ended.reason == "cpu"):
            self._budget.note(ended.usage)
            near = why is None and self._budget.near  # the kernel's own limit is on the whole judgement
            raise Timeout(self._budget.cpu_s, self._budget.awake_s, near) from None
        if why == "died" and ended.reason in ("memory", "threads"):
            why = "memory" if ended.reason == "memory" else "threads"
        raise CellDied(ended, why) from None

    def _is_silent(self) -> bool:
        assert self._channel is not None
        try:
            self._channel.check_silence()
        except Gone:
            return False
        return True

    def _abandon(self) -> None:
        """Ends the cell without a word."""
        if self._channel is not None:
            self._usage = self._channel.cell.kill().usage
            self._forget()

    def _forget(self) -> None:
        assert self._channel is not None
        self._channel.cell.close()
        self._channel = self._calls = None


def _shown(target: tuple[str, Any]) -> str:
    kind, name = target
    if isinstance(name, Handle):
        return repr(name)
    return f"harness.{name}" if kind == "harness" else str(name)


def check_source(source: bytes) -> None:
    """Raises LoadFailed for what can be told without parsing: size, emptiness, NUL, encoding."""
    if len(source) > MAX_SOURCE_BYTES:
        raise LoadFailed("too-big")
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LoadFailed("encoding", line=source[: error.start].count(b"\n") + 1) from None
    if "\0" in text:
        raise LoadFailed("nul", line=text[: text.index("\0")].count("\n") + 1)
    if not text.strip():
        raise LoadFailed("empty")
