"""What is done for the reader once every verdict is known: attention maps probed, smaller inputs looked for.

It runs in a cell of its own and within what the case left of its budget. Whatever goes wrong here costs what would
have been shown; no verdict, time or later case can be touched by it.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from judge.grading.attention_map import NoMap
from judge.grading.literal import NotWritable
from judge.grading.pictures import Drawn, Pending
from judge.grading.reproduce import SHORT_CHARS, Recorder, Smaller, shrunk, size
from judge.grading.shown import clean
from judge.problem_fields import Tolerance
from sandbox.contract import BadValue, CellDied, LearnerError, LoadFailed, SandboxFault, Timeout
from sandbox.session import Session

CASES_MAX = 4
WALL_S = 3.0  # over all cases
LEAST_BUDGET = 0.1  # of the time limit, for a probe to be worth starting
PICTURES_MAX = 6
_ORDER = ("attention", "rows", "page_table", "tensor", "mask")
_EXPECTED = (NoMap, NotWritable, BadValue, CellDied, LearnerError, LoadFailed, SandboxFault, Timeout)
OnFault = Callable[[str], None]


@dataclass
class Later:
    """A failed case that has something still to be looked into."""

    record: dict[str, Any]
    pictures: list[Pending]
    offers: list[tuple[str, Smaller]]

    @property
    def wanted(self) -> bool:
        """Whether the submission has to be called again for it."""
        long = size(self.record["detail"].get("repro")) > SHORT_CHARS or "repro" not in self.record["detail"]
        return any(one.probe for one in self.pictures) or (bool(self.offers) and long)


def drawn(pictures: list[Pending], on_fault: OnFault) -> list[Drawn]:
    """The pictures that need no call, most telling first."""
    found = [_guarded(one.draw, on_fault) for one in pictures if one.probe is None]
    return in_order([one for one in found if one is not None])


def in_order(pictures: list[Drawn]) -> list[Drawn]:
    """What shows a difference first; a mask is left out where the learner's own map has it too."""
    mapped = any(one["kind"] == "attention" for one in pictures)
    kept = [one for one in pictures if not (mapped and one["kind"] == "mask")]
    kept.sort(key=lambda one: (not _differs(one), _ORDER.index(one["kind"])))
    return kept[:PICTURES_MAX]


def look_into(
    cases: list[Later],
    recorder: Recorder,
    open_session: Callable[[float], Session],
    tolerances: Mapping[str, Tolerance],
    limit_s: float,
    on_fault: OnFault,
) -> list[dict[str, Any]]:
    """The records that gained something: ``name``, ``pictures`` and ``repro``. ``open_session`` takes CPU seconds."""
    found = []
    deadline = time.monotonic() + WALL_S
    for case in [one for one in cases if one.wanted][:CASES_MAX]:
        left_s = limit_s - case.record["time_s"]
        if left_s < LEAST_BUDGET * limit_s or time.monotonic() > deadline:
            continue
        session = open_session(left_s)
        try:
            gained = _guarded(partial(_one, case, recorder, session, tolerances, on_fault), on_fault)
        finally:
            session.close()
        if gained:
            found.append({"name": case.record["name"], **gained})
    return found


def _one(
    case: Later,
    recorder: Recorder,
    session: Session,
    tolerances: Mapping[str, Tolerance],
    on_fault: OnFault,
) -> dict[str, Any]:
    recorder.session = session
    session.begin_case()
    gained: dict[str, Any] = {}
    maps = [_guarded(one.probe.run, on_fault) for one in case.pictures if one.probe is not None]
    if any(maps):
        gained["pictures"] = in_order([one for one in maps if one] + case.record.get("pictures", []))
    builtin = case.record["facts"].get("builtin")
    repro = _guarded(lambda: shrunk(case.offers, recorder, tolerances, builtin), on_fault)
    before = size(case.record["detail"].get("repro"))
    if repro is not None and (not before or size(repro) < before):
        gained["repro"] = repro
    return gained


def _differs(picture: Drawn) -> bool:
    if picture["kind"] in ("attention", "tensor"):
        return not picture.get("same", False)
    return picture.get("got") is not None


def _guarded(make: Callable[[], Any], on_fault: OnFault) -> Any:
    """``make()``, or None: the guard that keeps whatever an author's or a learner's code does from any verdict."""
    try:
        return make()
    except _EXPECTED:
        return None
    except (
        Exception
    ) as error:  # a learner's own exception, or a mistake in a picture: the author is told of the latter
        if getattr(error, "learner_fault", None) is None:
            on_fault(clean("".join(traceback.format_exception(error))[-4000:], 4000))
        return None
