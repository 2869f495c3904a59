"""From what a case raised to its verdict, with facts that may be shown and a detail that may not."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from typing import Any

import pytest

from judge.grading.author import Wrong
from judge.grading.misspelt import look_for
from judge.grading.shown import clean
from judge.verdict import Verdict
from sandbox.contract import BadValue, CellDied, LearnerFault, LoadFailed, SandboxFault, Timeout

LOAD_VERDICTS = {
    "raised": Verdict.RE,
    "died": Verdict.RE,
    "timeout": Verdict.TLE,
    "memory": Verdict.MLE,
    "threads": Verdict.MLE,
    "output": Verdict.OLE,
}
# what ends a cell by a limit of ours is never RE; threads are a limit on what they would take
_DEATH_VERDICTS = {"memory": Verdict.MLE, "threads": Verdict.MLE, "output": Verdict.OLE}
_LINES_MAX = 8


@dataclass(frozen=True)
class Outcome:
    """What one case came to. ``fault`` is our or the problem's own error, for the log and never for a learner."""

    verdict: Verdict
    mistake: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    detail: dict[str, Any] = field(default_factory=dict)
    fault: str = ""


def load_verdict(kind: str) -> Verdict:
    """The verdict of a submission that could not be loaded; every other kind is CE."""
    return LOAD_VERDICTS.get(kind, Verdict.CE)


def fault_facts(fault: LearnerFault) -> dict[str, Any]:
    """What may always be shown of an exception: the nearest builtin class and the submission's line numbers."""
    return {"builtin": fault.builtin, "lines": [frame.line for frame in fault.frames[-_LINES_MAX:]]}


def fault_detail(fault: LearnerFault) -> dict[str, Any]:
    """The exception's own name, message and frames: text that the learner chose."""
    frames = [
        {"line": frame.line, "function": clean(frame.function, 80)} for frame in fault.frames[-_LINES_MAX:]
    ]
    return {"name": clean(fault.name, 80), "message": clean(fault.message), "frames": frames}


def load_record(error: LoadFailed, source: bytes = b"") -> dict[str, Any]:
    """The report's ``load``: why the submission could not be loaded; no input existed yet, so all may be shown."""
    record: dict[str, Any] = {"kind": error.kind, "entry": error.entry, "line": error.line}
    record["facts"] = fault_facts(error.fault) if error.fault else {}
    record["detail"] = fault_detail(error.fault) if error.fault else {}
    record |= look_for(error.entry, source) if error.kind == "missing" else {}
    return record | ({"near": True} if error.near else {})


def outcome_of(error: BaseException | None, *, called: bool) -> Outcome:
    """The outcome of a case that ended with ``error``; ``called`` says whether it had called the submission.

    Raises:
        LoadFailed, SandboxFault: passed on, for they end the judgement.
    """
    if error is None:
        return Outcome(Verdict.AC)
    if isinstance(error, LoadFailed | SandboxFault):
        raise error
    if isinstance(error, Wrong):
        return Outcome(Verdict.WA, error.mistake, error.facts, error.detail)
    if isinstance(error, pytest.skip.Exception):
        return Outcome(Verdict.SKIP, facts={"kind": "skip"}, detail={"reason": clean(str(error), 200)})
    outcome = _learners(error) or _unusable(error, called)
    # what judge.grading.stateful noted of the operations before it
    outcome.facts.update(getattr(error, "case_facts", {}))
    outcome.detail.update(getattr(error, "case_detail", {}))
    return outcome


def _learners(error: BaseException) -> Outcome | None:
    if isinstance(error, Timeout):
        facts = {"kind": "timeout", "waited": error.cpu_s < error.wall_s / 10 and not error.near}
        return Outcome(Verdict.TLE, facts=facts | ({"near": True} if error.near else {}))
    if isinstance(error, CellDied):
        facts = {"kind": "died", "why": error.why, "signal": error.exit.signal}
        return Outcome(_DEATH_VERDICTS.get(error.why, Verdict.RE), facts=facts)
    if isinstance(error, BadValue):
        detail = {"type": clean(error.type_name, 80)}
        return Outcome(Verdict.RE, facts={"kind": "bad_value", "bad": error.kind}, detail=detail)
    fault = getattr(error, "learner_fault", None) or getattr(error, "fault", None)
    if not isinstance(fault, LearnerFault):
        return None
    verdict = Verdict.MLE if fault.builtin == "MemoryError" else Verdict.RE
    return Outcome(verdict, facts={"kind": "raised", **fault_facts(fault)}, detail=fault_detail(fault))


def _unusable(error: BaseException, called: bool) -> Outcome:
    """An error of the case's own code: a value it could not use, or our fault where no value had come yet."""
    text = clean("".join(traceback.format_exception(error))[-4000:], 4000)  # goes to a log or a terminal
    facts = {"kind": "unusable" if called else "fault", "problem_fault": type(error).__name__}
    return Outcome(Verdict.WA if called else Verdict.SE, facts=facts, fault=text)
