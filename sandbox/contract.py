"""What the sandbox promises to the judge: limits, usages, exits, and the faults a case may meet.

Every other module of this package builds on these types; none of them knows a problem, a case or a score.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Protections = dict[str, str]
"""What a backend protects with, by name: ``{"network": "none", "seccomp": "allowlist", "landlock": "abi 6", ...}``."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use. CPU seconds are already multiplied by the machine's factor."""

    time_limit_s: float = 2.0  # CPU time of the cell within one case; wall time is cut at three times this
    load_limit_s: float = 5.0  # CPU time for executing the submission's module
    judgement_limit_s: float = 30.0  # CPU time of a cell over its life: the RLIMIT_CPU backstop
    memory_limit_mib: int = 512  # headroom of a cell over its zygote
    output_limit_kib: int = 64  # stdout and stderr together, over the judgement


@dataclass(frozen=True)
class Usage:
    """What a cell has used so far, measured by the zygote and never by the cell itself."""

    cpu_s: float
    memory_mib: float  # the cell's high-water mark less the zygote's
    delay_s: float = 0.0  # it was ready to run, and the machine was busy with others
    rested_s: float = 0.0  # we had stopped it for others


@dataclass(frozen=True)
class Exit:
    """How a cell ended."""

    reason: Literal["exited", "killed", "signal", "memory", "cpu", "threads"]  # killed: by us, on request
    status: int  # exit status, or 0
    signal: int  # signal number, or 0
    usage: Usage


@dataclass(frozen=True)
class Frame:
    """One line of the submission's own file in a learner's traceback; the text is looked up by the grader."""

    line: int  # 1-based
    function: str


@dataclass(frozen=True)
class LearnerFault:
    """An exception that the submission raised, as it crossed the wire: hostile text, already capped and cleaned."""

    builtin: str  # nearest builtin class by name, e.g. "ValueError"
    name: str  # the class's own name (a learner chose it: show it only where values may be shown)
    message: str  # at most 2 KiB (same caution)
    frames: tuple[Frame, ...] = ()


class LearnerError(Exception):
    """The submission raised something that is not in the table of re-raised builtin exceptions."""

    fault: LearnerFault


class BadValue(Exception):
    """A value that cannot cross the wire: the learner returned an unsupported type, or too much of one.

    ``kind`` is a stable key ("numpy", "sparse", "too-deep", "cyclic", "too-big", "type", ...), ``type_name`` hostile text.
    """

    def __init__(self, kind: str, type_name: str = "") -> None:
        super().__init__(kind, type_name)
        self.kind = kind
        self.type_name = type_name


class CellDied(BaseException):
    """The cell ended within a call. A BaseException, so that no case and no hypothesis shrinker swallows it."""

    def __init__(
        self, exit: Exit, why: Literal["died", "memory", "output", "protocol", "threads"] = "died"
    ) -> None:
        super().__init__(exit, why)
        self.exit = exit
        self.why = why


class Timeout(BaseException):
    """The case used up its CPU limit, or three times as much wall time; the cell is already killed.

    ``near``: by less than twofold, or because the machine was too busy to tell; worth another try, alone.
    """

    def __init__(self, cpu_s: float, wall_s: float, near: bool = False) -> None:
        super().__init__(cpu_s, wall_s)
        self.cpu_s = cpu_s
        self.wall_s = wall_s
        self.near = near


class LoadFailed(Exception):
    """The submission could not be loaded: the whole judgement takes this verdict.

    ``kind``: "syntax" | "encoding" | "nul" | "empty" | "too-big" | "missing" | "not-callable" (all CE), "raised" (RE),
    "timeout" (TLE), "memory", "threads" (MLE), "output" (OLE), "died" (RE). ``entry`` names the entry point where one is
    missing; ``near`` is as of Timeout.
    """

    def __init__(
        self,
        kind: str,
        *,
        fault: LearnerFault | None = None,
        entry: str = "",
        line: int = 0,
        near: bool = False,
    ) -> None:
        super().__init__(kind)
        self.kind = kind
        self.fault = fault
        self.entry = entry
        self.line = line
        self.near = near


class SandboxFault(Exception):
    """Our own failure (a lost zygote, no engine, no room): never the learner's verdict; the judgement is retried."""


@dataclass(frozen=True)
class Program:
    """What is loaded into a cell. ``support`` and ``harness`` are the problem's public files."""

    source: bytes
    entry_points: tuple[str, ...]
    support: str | None = None  # importable in the cell as module ``support``
    harness: str | None = None  # called as ``submission.harness.f(...)``
    filename: str = "solution.py"


@dataclass(frozen=True)
class CaseUsage:
    """What one case cost the cell, and what it printed."""

    cpu_s: float
    wall_s: float
    memory_mib: float
    stdout: str = ""
    stdout_cut: bool = False
    died: Exit | None = field(default=None)
