"""`grade`: one submission against one problem. The command line, the web, a worker and a rejudge all call it.

The cases run in a fork of the warm grader; this side waits for its events, and tries again when something of ours
was lost on the way.
"""

from __future__ import annotations

import base64
import dataclasses
import secrets
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judge.grading.grader import Grader
from judge.grading.link import receive_frame, send_frame
from judge.grading.report import Grade, verdict_of
from judge.grading.seam import ATTEMPTS, SOURCE_MAX_BYTES, Mode
from judge.problem import Problem, refresh
from judge.verdict import Verdict
from sandbox.contract import Limits, SandboxFault

if TYPE_CHECKING:
    from sandbox.pool import Zygote

__all__ = ["Grade", "Grader", "grade"]

_ZYGOTE_WAIT_S = 120.0
_ALONE_WAIT_S = 5.0  # others finish meanwhile; then it goes on beside them
_SLACK_S = 20.0  # a template that has still to be collected, imports, comparing
OnCase = Callable[[dict[str, Any]], None]
OnStart = Callable[[int], None]


@dataclass(frozen=True)
class _Job:
    problem: Problem
    source: bytes
    seed: str
    mode: Mode
    only: Collection[str] | None
    on_case: OnCase | None
    on_start: OnStart | None
    to_first_failure: bool = False
    lines: str = ""


@dataclass
class _Attempt:
    """What one try told before it ended."""

    cases: list[dict[str, Any]] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    phases: dict[str, float] = field(default_factory=dict)
    load: dict[str, Any] | None = None
    limits: Limits = field(default_factory=Limits)
    deaths: int = 0
    done: bool = False
    changed: bool = False
    faults: list[str] = field(default_factory=list)


def grade(
    problem: Problem,
    source: bytes,
    *,
    grader: Grader,
    seed: str | None = None,
    mode: Mode = "submit",
    only: Collection[str] | None = None,
    on_case: OnCase | None = None,
    on_start: OnStart | None = None,
    to_first_failure: bool = False,
    lines: str = "",
) -> Grade:
    """Judges ``source`` (UTF-8 bytes, hostile) and returns its Grade; blocks until it is done.

    ``mode`` run takes the examples alone, scratch no case but ``lines`` (judge.grading.scratch), ``only`` the cases named; with ``to_first_failure`` the cases after the first
    that is not accepted are left out of the result. Without ``seed`` a fresh secret one is drawn.
    ``on_start`` is told the number of cases, ``on_case`` each record once it is known; after a fault of ours, and when
    a TLE by less than twofold was judged once more, both are told anew. The problem is judged as it lies on disk now: `Grade.problem` is what was used.

    Raises:
        ProblemError: the problem's folder changed into something that cannot be loaded.
    """
    seed = secrets.token_hex(16) if seed is None else seed
    job = _Job(refresh(problem), source, seed, mode, only, on_case, on_start, to_first_failure, lines)
    started = time.perf_counter()
    faults: list[str] = []
    attempt = _Attempt()
    for number in range(1, ATTEMPTS + 1):
        attempt = _attempt(job, grader, last=number == ATTEMPTS)
        faults += attempt.faults
        if attempt.done and not attempt.cases:
            faults.append("no case was selected")
        if attempt.done and (not attempt.cases or verdict_of(attempt.cases) is not Verdict.SE):
            break
        if attempt.changed:
            job = dataclasses.replace(job, problem=refresh(job.problem))
    if attempt.done and (names := _in_doubt(attempt)):
        _judge_alone(job, grader, attempt, names)
    return _grade(job, grader, attempt, faults, time.perf_counter() - started)


def _in_doubt(attempt: _Attempt) -> list[str]:
    """The cases whose TLE a busy machine may be to blame for, and those that were not run because of them."""
    cases = attempt.cases
    if attempt.load is not None:
        return [case["name"] for case in cases] if attempt.load.get("near") else []
    if not any(case["facts"].get("near") for case in cases):
        return []
    return [case["name"] for case in cases if case["facts"].get("near") or not case["ran"]]


def _judge_alone(job: _Job, grader: Grader, attempt: _Attempt, names: list[str]) -> None:
    """Judges these cases once more while nobody else is judged; what comes of it replaces what is in ``attempt``."""
    silent = dataclasses.replace(job, only=names, on_case=None, on_start=None)
    with grader.pool.alone(_ALONE_WAIT_S):
        again = _attempt(silent, grader, last=True)
    attempt.faults += again.faults
    if not again.done:
        return
    found = {case["name"]: case for case in again.cases}
    attempt.cases = [found.get(case["name"], case) for case in attempt.cases]
    attempt.load = again.load
    attempt.phases = {name: attempt.phases.get(name, 0.0) + again.phases[name] for name in again.phases}
    if job.on_start is not None:
        job.on_start(len(attempt.cases))
    if job.on_case is not None:
        for case in attempt.cases:
            job.on_case(case)


def _grade(job: _Job, grader: Grader, attempt: _Attempt, faults: list[str], total_s: float) -> Grade:
    told_s = sum(attempt.phases.values())
    phases = {**attempt.phases, "start_s": round(max(0.0, total_s - told_s), 6)}
    return Grade(
        problem=job.problem,
        mode=job.mode,
        seed=job.seed,
        verdict=verdict_of(attempt.cases) if attempt.done else Verdict.SE,
        cases=attempt.cases,
        limits=attempt.limits,
        backend=grader.pool.backend,
        protections=dict(grader.pool.protections),
        load=attempt.load,
        versions=attempt.versions,
        phases=phases,
        faults=faults,
    )


def _attempt(job: _Job, grader: Grader, *, last: bool) -> _Attempt:
    attempt = _Attempt(limits=job.problem.limits)
    pool, zygote = grader.pool, None
    queued = time.perf_counter()
    try:
        zygote = pool.acquire(_ZYGOTE_WAIT_S, fresh=job.problem.fresh)
        attempt.phases["queued_s"] = round(time.perf_counter() - queued, 6)
        attempt.limits = scaled(job.problem.limits, pool.factor)
        _watch(job, grader, zygote, attempt)
        if attempt.done and attempt.deaths and not zygote.alive and not last:
            attempt.done = (
                False  # the zygote went down with the cell: judged anew, lest our loss be the learner's
            )
    except SandboxFault as fault:
        attempt.faults.append(str(fault))
    finally:
        if zygote is not None:
            pool.release(zygote, attempt.done and zygote.alive and not job.problem.fresh)
    return attempt


def _watch(job: _Job, grader: Grader, zygote: Zygote, attempt: _Attempt) -> None:
    """Starts the judgement and follows its events into ``attempt`` until it is done or lost."""
    limits = attempt.limits
    backstop_s = 3 * (limits.judgement_limit_s + limits.time_limit_s + limits.load_limit_s) + _SLACK_S
    deadline = time.monotonic() + backstop_s + _SLACK_S
    request = {
        "source": base64.b64encode(job.source[: SOURCE_MAX_BYTES + 1]).decode(),
        "seed": job.seed,
        "mode": job.mode,
        "only": None if job.only is None else list(job.only),
        "limits": dataclasses.asdict(limits),
        "backstop_s": backstop_s,
        "to_first_failure": job.to_first_failure,
        "lines": job.lines,
    }
    with grader.begin(job.problem, zygote.control) as events:
        try:
            events.settimeout(_SLACK_S)
            send_frame(events, request)
            while not attempt.done:
                frame = receive_frame(events, deadline)
                if frame is None:
                    raise SandboxFault(f"the judgement was lost; {grader.last_words()}".rstrip("; "))
                if (long := frame.get("long")) is not None:
                    grader.pool.note_long(zygote, long)
                _take(frame, job, attempt)
        except OSError as error:
            raise SandboxFault(f"the judgement was lost: {error or 'no answer in time'}") from error


def _take(frame: dict[str, Any], job: _Job, attempt: _Attempt) -> None:
    if start := frame.get("start"):
        attempt.versions = start["versions"]
        if job.on_start is not None:
            job.on_start(start["cases"])
    elif case := frame.get("case"):
        attempt.cases.append(case)
        if job.on_case is not None:
            job.on_case(case)
    elif gained := frame.get("shown"):
        attempt.cases = [
            _with(case, gained) if case["name"] == gained["name"] else case for case in attempt.cases
        ]
    elif done := frame.get("done"):
        attempt.load, attempt.deaths, attempt.done = done["load"], done["deaths"], True
        attempt.phases |= done["phases"]
    elif log := frame.get("log"):
        attempt.faults.append(f"case {log['case']}: {log['fault']}")
    elif fault := frame.get("fault"):
        attempt.changed = bool(frame.get("changed"))
        raise SandboxFault(fault)


def _with(case: dict[str, Any], gained: dict[str, Any]) -> dict[str, Any]:
    """A copy of a case's record with what was found out after the verdicts; somebody may be reading the record."""
    detail = {**case["detail"], **({"repro": gained["repro"]} if "repro" in gained else {})}
    pictures = {"pictures": gained["pictures"]} if "pictures" in gained else {}
    return {**case, **pictures, "detail": detail}


def scaled(limits: Limits, factor: float) -> Limits:
    """``limits`` with their seconds multiplied by the machine's ``factor``."""
    return dataclasses.replace(
        limits,
        time_limit_s=limits.time_limit_s * factor,
        load_limit_s=limits.load_limit_s * factor,
        judgement_limit_s=limits.judgement_limit_s * factor,
    )
