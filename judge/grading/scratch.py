"""A learner's scratch lines, run beside the submission in one cell: no case, no points, nothing of the problem's tests.

Told to the parent as a judgement of one record called ``scratch``, so that limits, retries and words are those of every
judgement. ``detail.values`` holds what the lines showed: ``line``, ``type``, ``text`` and for tensors a ``picture``.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from judge.grading.outcome import Outcome, load_record, load_verdict, outcome_of
from judge.grading.pictures import heat
from judge.grading.shown import clean, describe, type_name
from judge.problem import Problem
from judge.verdict import Verdict
from sandbox.client import ZygoteClient
from sandbox.contract import CaseUsage, Limits, LoadFailed, Program
from sandbox.proxy import Submission
from sandbox.session import Session

NAME = "scratch"
VALUES_MAX = 40
TEXT_MAX_CHARS = 24 << 10  # of all values together
PICTURES_MAX = 6
STDOUT_MAX_CHARS = 16 << 10


@functools.cache
def harness() -> str:
    """The source of what executes the lines in the cell."""
    return Path(__file__).with_name("scratch_harness.py").read_text("utf-8")


class Shown:
    """What the lines have shown so far, capped; the callback that the cell calls with each value."""

    def __init__(self) -> None:
        self.values: list[dict[str, Any]] = []
        self.left_out = 0
        self._room = TEXT_MAX_CHARS
        self._pictures = 0

    def take(self, line: object = 0, value: object = None, written: object = None) -> None:
        """Keeps one value as text, and draws it where it is a tensor worth drawing. Any argument may be hostile."""
        if len(self.values) >= VALUES_MAX or self._room <= 0:
            self.left_out += 1
            return
        is_text = isinstance(written, str)
        text = clean(written) if is_text and isinstance(written, str) else describe(value)
        self._room -= len(text)
        number = line if isinstance(line, int) and 0 < line < 1 << 20 else 0
        entry: dict[str, Any] = {"line": number, "type": "" if is_text else type_name(value), "text": text}
        if not is_text and self._pictures < PICTURES_MAX and (picture := heat(value)) is not None:
            self._pictures += 1
            entry["picture"] = picture
        self.values.append(entry)


def try_out(
    problem: Problem,
    client: ZygoteClient,
    source: bytes,
    lines: str,
    limits: Limits,
    seed: int,
    on_long: Callable[[bool], None],
) -> dict[str, Any]:
    """Runs ``lines`` after ``source`` and returns ``case`` (the record), ``load``, ``phases`` and ``deaths``; ``on_long`` as of Session."""
    program = Program(source, (), problem.support, harness())
    session = Session(client, program, limits, seed, on_long=on_long)
    shown, started = Shown(), time.perf_counter()
    record, load = _blank(), None
    try:
        outcome, usage = _run(session, lines, len(source.splitlines()) + 1, shown)
        record |= {"verdict": str(outcome.verdict), "ran": True}
        record |= {"time_s": round(usage.cpu_s, 6), "memory_mib": round(usage.memory_mib, 2)}
        record |= {"facts": outcome.facts, "detail": {**outcome.detail, **_said(shown, usage)}}
    except LoadFailed as failed:
        load = load_record(failed)
        record |= {"verdict": str(load_verdict(failed.kind)), "facts": {"kind": "load"}}
    finally:
        session.leave()
    phases = {"cell_s": time.perf_counter() - started - session.load_s, "load_s": session.load_s}
    phases = {name: round(max(0.0, seconds), 6) for name, seconds in phases.items()}
    return {"case": record, "load": load, "phases": phases, "deaths": session.deaths}


def _run(session: Session, lines: str, before: int, shown: Shown) -> tuple[Outcome, CaseUsage]:
    """What the lines came to, with the lines of a traceback told apart: the submission's, and theirs."""
    error: BaseException | None = None
    bad: object = None
    try:
        session.begin_case()
        bad = Submission(session, ()).harness.run(lines, before, shown.take)
    except BaseException as raised:
        error = raised
    usage = session.end_case()
    outcome = outcome_of(error, called=True)
    if error is None and isinstance(bad, list) and len(bad) == 2:
        line, why = bad
        facts = {"kind": "raised", "builtin": "SyntaxError", "lines": [], "scratch_line": _whole(line)}
        detail = {"name": "SyntaxError", "message": clean(str(why), 200), "frames": []}
        return Outcome(Verdict.RE, facts=facts, detail=detail), usage
    _split(outcome, before)
    return outcome, usage


def _split(outcome: Outcome, before: int) -> None:
    """Takes the scratch lines out of a traceback, the innermost of them into ``scratch_line``."""
    found = outcome.facts.get("lines", [])
    own = [line for line in found if line <= before]
    if len(own) < len(found):
        innermost = next(line for line in reversed(found) if line > before)
        outcome.facts.update(lines=own, scratch_line=innermost - before)
        outcome.detail["frames"] = [one for one in outcome.detail["frames"] if one["line"] <= before]


def _said(shown: Shown, usage: CaseUsage) -> dict[str, Any]:
    said: dict[str, Any] = {"values": shown.values, "values_left_out": shown.left_out}
    if usage.stdout:
        said["stdout"] = clean(usage.stdout, STDOUT_MAX_CHARS)
        said["stdout_cut"] = usage.stdout_cut or len(usage.stdout) > STDOUT_MAX_CHARS
    return said


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 < value < 1 << 20 else 1


def _blank() -> dict[str, Any]:
    """The record before anything is known; an example, since all in it is the learner's own."""
    return {
        "name": NAME,
        "group": "example",
        "part": "",
        "verdict": str(Verdict.SE),
        "points": 0,
        "max_points": 0,
        "mistake": None,
        "time_s": 0.0,
        "memory_mib": 0.0,
        "ran": False,
        "facts": {},
        "detail": {},
    }
