"""A learner's exceptions in the grader: only builtin classes from a fixed table are ever raised again."""

from __future__ import annotations

import builtins
from typing import Any

from sandbox.cell.caps import MAX_FRAMES, MAX_MESSAGE_BYTES, MAX_NAME, WireError
from sandbox.contract import Frame, LearnerError, LearnerFault

_NEVER = (StopIteration, StopAsyncIteration, AssertionError, BaseExceptionGroup)
_MAX_LINE = 1 << 20

RAISED_AGAIN: dict[str, type[Exception]] = {
    name: UnicodeError if issubclass(cls, UnicodeError) else cls  # its subclasses want five arguments
    for name, cls in vars(builtins).items()
    if isinstance(cls, type) and issubclass(cls, Exception) and not issubclass(cls, _NEVER)
}


def fault_of(value: object) -> LearnerFault:
    """The fault that a cell described (decoded, hostile); raises WireError where it is malformed."""
    if type(value) is not list or len(value) != 4 or type(value[3]) is not list:
        raise WireError("bad fault")
    builtin, name, message, frames = value
    if not all(type(text) is str for text in (builtin, name, message)) or len(frames) > MAX_FRAMES:
        raise WireError("bad fault")
    if max(len(builtin), len(name)) > MAX_NAME or len(message) > MAX_MESSAGE_BYTES:
        raise WireError("fault too long")
    if not isinstance(getattr(builtins, builtin, None), type):
        builtin = "BaseException"
    return LearnerFault(builtin, name, message, tuple(_frame(frame) for frame in frames))


def _frame(value: Any) -> Frame:
    if type(value) is not list or [type(part) for part in value] != [int, str]:
        raise WireError("bad frame")
    line, function = value
    if not 0 < line < _MAX_LINE or len(function) > MAX_NAME:
        raise WireError("bad frame")
    return Frame(line, function)


def exception_of(fault: LearnerFault) -> Exception:
    """What a case meets: the builtin class with the message, or LearnerError; ``learner_fault`` is set on both."""
    known = RAISED_AGAIN.get(fault.builtin)
    error = LearnerError(fault.name, fault.message) if known is None else known(fault.message)
    if isinstance(error, LearnerError):
        error.fault = fault
    error.learner_fault = fault  # type: ignore[attr-defined]
    return error
