"""What a plain file needs to show a failing case again: the calls as source, where the compared value is, what it must be.

In case code an author may offer smaller inputs: ``reproduce.smaller("forward", make)``. They are tried with the learner's
code after every verdict is known; the first that shows a difference takes the place of the case's own inputs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from judge.grading import notes
from judge.grading.compare import compare_tensors, tolerance_for
from judge.grading.literal import NotWritable, source_of
from judge.grading.shown import describe
from judge.problem_fields import Tolerance
from sandbox.proxy import Caller, Handle, Remote

CALLS_MAX = 4
ROOM_CHARS = 44 << 10
SHORT_CHARS = 6 << 10  # nothing smaller is looked for below this
_DEPTH_MAX = 3
Smaller = Callable[[], Iterable[tuple[tuple[Any, ...], torch.Tensor]]]
NOTHING = object()


@dataclass(frozen=True)
class Compared:
    """What a check compared: values as they are, exact where there is no tolerance."""

    got: object
    want: object = NOTHING
    tolerance: Tolerance | None = None
    contiguous: bool = False


@dataclass
class Call:
    """One call of the submission or its harness within a case; ``target`` as the session has it."""

    target: tuple[str, Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: object = NOTHING


@dataclass
class Recorder:
    """Passes requests on to the session that is current, and keeps the calls of a case."""

    session: Caller
    calls: deque[Call] = field(default_factory=lambda: deque(maxlen=CALLS_MAX))

    def request(self, op: str, target: tuple[str, Any], /, *args: Any, **kwargs: Any) -> Any:
        """One request and its value; raises what a call may raise."""
        call = Call(target, args, kwargs)
        if op == "call":
            self.calls.append(call)
        call.result = self.session.request(op, target, *args, **kwargs)
        return call.result


class _Reproduce:
    """What an author says about reproducing, as one name."""

    def smaller(self, function: str, make: Smaller) -> None:
        """Offers smaller calls of ``function``: ``make()`` yields ``(args, wanted tensor)``, the smallest first."""
        notes.here().offers.append((function, make))


reproduce = _Reproduce()


def recorded(calls: Iterable[Call], compared: Compared | None) -> dict[str, Any] | None:
    """The case's own calls as the report keeps them; None where they have no source or nothing was called."""
    kept = [one for one in calls if one.target[0] in ("entry", "harness")]
    path = None
    if compared is not None:
        kept, path = _upto(kept, compared.got)
    if not kept or any(_holds_handle(one.result) for one in kept):
        return None
    try:
        return _written(kept, path, compared, shrunk=False)
    except NotWritable:
        return None


def shrunk(
    found: list[tuple[str, Smaller]],
    recorder: Recorder,
    tolerances: Mapping[str, Tolerance],
    builtin: str | None,
) -> dict[str, Any] | None:
    """The first smaller call on which the submission errs, by a wrong value or by the exception of the case.

    ``builtin`` is that exception's class. Raises what a call may raise otherwise.
    """
    for function, make in found:
        for args, want in make():
            recorder.calls.clear()
            try:
                got = Remote(recorder, ("entry", function))(*args)
            except Exception as error:
                fault = getattr(error, "learner_fault", None) or getattr(error, "fault", None)
                if fault is None or fault.builtin != builtin:
                    raise
                return _written([*recorder.calls], None, None, shrunk=True)
            tolerance = tolerance_for(want, tolerances)
            if compare_tensors(got, want, tolerance) is not None:
                return _written([*recorder.calls], "", Compared(got, want, tolerance), shrunk=True)
    return None


def size(data: dict[str, Any] | None) -> int:
    """The characters of source in it."""
    if data is None:
        return 0
    texts = [text for call in data["calls"] for text in (*call["args"], *call["kwargs"].values())]
    return sum(map(len, texts)) + len(data["want"] or "")


def _written(calls: list[Call], path: str | None, compared: Compared | None, shrunk: bool) -> dict[str, Any]:
    room = ROOM_CHARS
    told = []
    for call in calls:
        args = [source_of(one, room) for one in call.args]
        kwargs = {key: source_of(one, room) for key, one in call.kwargs.items()}
        room -= sum(map(len, [*args, *kwargs.values()]))
        told.append(
            {
                "function": str(call.target[1]),
                "harness": call.target[0] == "harness",
                "args": args,
                "kwargs": kwargs,
            }
        )
        if room <= 0:
            raise NotWritable("too long")
    want = tolerance = None
    if compared is not None and compared.want is not NOTHING and path is not None:
        want, tolerance = source_of(compared.want, room), compared.tolerance
    return {
        "calls": told,
        "path": path,
        "want": want,
        "tolerance": None if tolerance is None else {"atol": tolerance.atol, "rtol": tolerance.rtol},
        "contiguous": compared is not None and compared.contiguous,
        "got": "" if compared is None else describe(compared.got, 400),
        "shrunk": shrunk,
    }


def _upto(calls: list[Call], got: object) -> tuple[list[Call], str | None]:
    """The calls up to the one whose result holds ``got``, and where in it; every call where none does."""
    for place in range(len(calls) - 1, -1, -1):
        path = _path_to(got, calls[place].result, _DEPTH_MAX)
        if path is not None:
            return calls[: place + 1], path
    return calls, None


def _path_to(wanted: object, value: object, depth: int) -> str | None:
    if value is wanted:
        return ""
    if depth == 0 or not isinstance(value, list | tuple | dict):
        return None
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        inner = _path_to(wanted, item, depth - 1)
        if inner is not None:
            return f"[{key!r}]{inner}"
    return None


def _holds_handle(value: object) -> bool:
    if isinstance(value, list | tuple):
        return any(_holds_handle(one) for one in value)
    if isinstance(value, dict):
        return any(_holds_handle(one) for one in value.values())
    return isinstance(value, Handle)
