"""One judgement, in a fork of the template: runs the cases against a cell and tells the parent, event by event.

Events are JSON frames: ``start`` (number of cases, versions), ``case`` (a record as in the report), ``long`` (the cell has
computed for long, or is done with that), ``shown`` (what a record gained once every verdict was known), ``done`` (load,
phases), or ``fault`` (ours: the parent tries again).
"""

from __future__ import annotations

import base64
import dataclasses
import itertools
import platform
import signal
import socket
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from judge.grading import after, author, reproduce, scratch
from judge.grading.ahead import Turns
from judge.grading.link import Events, receive_frame
from judge.grading.notes import Notes
from judge.grading.outcome import Outcome, load_record, load_verdict, outcome_of
from judge.grading.plugin import Case, Plugin
from judge.grading.seeds import cell_seed
from judge.grading.shown import clean, describe
from judge.verdict import Verdict
from sandbox.cell.proc import own_run_delay_s
from sandbox.client import ZygoteClient
from sandbox.contract import Limits, LoadFailed, Program, SandboxFault
from sandbox.proxy import Submission
from sandbox.session import Session

CALLS_SHOWN = 4
INPUTS_MAX_CHARS = 16 << 10
STDOUT_MAX_CHARS = 8 << 10
REPROS_MAX_CHARS = 48 << 10  # of the files of a whole report; the first failures have them
PICTURED_MAX = 6  # cases with pictures, the first to fail
SLOW_LOAD_S = 1.0  # loading once more only to show something would take too long
DEATHS_MAX = 2


def judge(plugin: Plugin, control: socket.socket, sock: socket.socket) -> None:
    """Reads the job from ``sock``, judges it with cells of the zygote behind ``control``, and sends the events there."""
    job = receive_frame(sock, time.monotonic() + 10)
    sock.settimeout(60)  # the parent may store each case before it takes the next
    events = Events(sock)
    if job is None:
        return
    # no handler: when trusted code hangs, the kernel ends this process and the parent tries again
    signal.setitimer(signal.ITIMER_REAL, float(job["backstop_s"]))
    if job["mode"] == "scratch":
        return _try_out(plugin, control, job, events)
    judgement = Judgement(plugin, control, job, events)
    try:
        judgement.judge_all()
    except SandboxFault as fault:
        events.send({"fault": f"sandbox: {fault}"})
    finally:
        judgement.close()


def _try_out(plugin: Plugin, control: socket.socket, job: dict[str, Any], events: Events) -> None:
    """Runs scratch lines instead of cases, told as a judgement of one case."""
    events.send({"start": {"cases": 1, "versions": _versions()}})
    try:
        tried = scratch.try_out(
            plugin.problem,
            ZygoteClient(control),
            base64.b64decode(job["source"]),
            job["lines"],
            Limits(**job["limits"]),
            cell_seed(job["seed"]),
            lambda long: events.send({"long": long}),
        )
    except SandboxFault as fault:
        return events.send({"fault": f"sandbox: {fault}"})
    events.send({"case": tried.pop("case")})
    events.send({"done": tried})


def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), "torch": torch.__version__, "pytest": pytest.__version__}


class Judgement:
    """The state of one judgement; it is what the fixtures of the plugin ask."""

    def __init__(self, plugin: Plugin, control: socket.socket, job: dict[str, Any], events: Events) -> None:
        self.seed: str = job["seed"]
        self._plugin = plugin
        self._events = events
        self._limits = Limits(**job["limits"])
        self._cases = _selected(plugin.cases, job["mode"], job["only"])
        self._to_first_failure: bool = job["to_first_failure"]
        self._calls: deque[tuple[str, tuple[Any, ...], dict[str, Any]]] = deque(maxlen=CALLS_SHOWN)
        self._called = self._loaded = False
        self._cpu_s = self._cells_s = 0.0
        self._load: dict[str, Any] | None = None
        self._stop: Verdict | None = None
        self._compared_s = author.compare_seconds()
        self._start, self._own_delay_s = time.perf_counter(), own_run_delay_s()
        problem = plugin.problem
        source = base64.b64decode(job["source"])
        program = Program(source, problem.entry_points, problem.support, problem.harness)
        self._client, self._program = ZygoteClient(control), program
        seed = cell_seed(self.seed)
        self._turns = Turns(plugin, self.seed, self._load_for_case)
        self._session = Session(
            self._client,
            program,
            self._limits,
            seed,
            self._on_call,
            self._turns.meanwhile,
            on_long=lambda long: self._events.send({"long": long}),
        )
        self._recorder = reproduce.Recorder(self._session)
        self._later: list[after.Later] = []
        self._room, self._pictured = REPROS_MAX_CHARS, 0
        plugin.run = self

    def begin_case(self) -> Any:
        """The submission for the case that asks; loaded into a fresh cell where none is alive, when its turn comes."""
        caller = self._turns.caller(self._recorder, self._session)
        return Submission(caller, self._plugin.problem.entry_points)

    def _load_for_case(self) -> None:
        self._loaded = True
        start = time.perf_counter()
        try:
            self._session.begin_case()
        finally:
            self._cells_s += time.perf_counter() - start

    def judge_all(self) -> None:
        """Runs the selected cases and sends each record; SandboxFault when the zygote fails."""
        self._events.send({"start": {"cases": len(self._cases), "versions": _versions()}})
        for case, following in itertools.zip_longest(self._cases, self._cases[1:]):
            record = case.blank()
            if self._stop is None:
                self._run(case, following, record)
            else:
                self._not_run(record)
            (self._events.hold if record["verdict"] == Verdict.AC else self._events.send)({"case": record})
            if self._to_first_failure and record["verdict"] not in (Verdict.AC, Verdict.SKIP):
                break
        self._session.leave()  # with the last word the zygote is the parent's again, who ends the cell
        self._look_into_failures()
        phases = self._phases()
        self._events.send({"done": {"load": self._load, "phases": phases, "deaths": self._session.deaths}})

    def close(self) -> None:
        """Ends the cell that is still alive."""
        self._session.close()

    def _on_call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._called = True
        self._calls.append((name, args, kwargs))

    def _run(self, case: Case, following: Case | None, record: dict[str, Any]) -> None:
        for one in (self._calls, self._recorder.calls):
            one.clear()
        self._called = self._loaded = False
        error, notes = self._turns.run(case, following)
        usage = self._session.end_case() if self._loaded else None
        try:
            outcome = outcome_of(error, called=self._called)
        except LoadFailed as failed:
            self._load = load_record(failed, self._program.source)
            self._stop = load_verdict(failed.kind)
            self._not_run(record)
            return
        accepted = outcome.verdict is Verdict.AC
        record |= {
            "verdict": str(outcome.verdict),
            "points": case.points if accepted else 0,
            "mistake": case.mistake_of(outcome),
            "ran": True,
            "facts": outcome.facts,
            "detail": outcome.detail,
        }
        if usage is not None:
            self._cpu_s += usage.cpu_s
            record |= {"time_s": round(usage.cpu_s, 6), "memory_mib": round(usage.memory_mib, 2)}
            if usage.stdout:
                record["detail"]["stdout"] = clean(usage.stdout, STDOUT_MAX_CHARS)
                record["detail"]["stdout_cut"] = usage.stdout_cut or len(usage.stdout) > STDOUT_MAX_CHARS
        # a run of operations is told by its steps; the calls were whole runs, and tries to shorten them
        if (not accepted or case.group == "example") and "steps" not in record["detail"]:
            record["detail"]["inputs"] = list(self._inputs())
        if outcome.fault:
            self._log(case.name, outcome.fault)
        if not accepted and outcome.verdict not in (Verdict.SKIP, Verdict.SE):
            self._illustrate(record, error, notes)
        self._stop = self._exhausted(outcome)

    def _illustrate(self, record: dict[str, Any], error: BaseException | None, notes: Notes) -> None:
        """Adds to a failed case's record its pictures and how to reproduce it, and notes what can be had only later."""
        if self._pictured < PICTURED_MAX:
            self._pictured += 1
            found = after.drawn(notes.pictures, lambda why: self._log(record["name"], why))
            record |= {"pictures": found} if found else {}
        repro = reproduce.recorded(self._recorder.calls, getattr(error, "compared", None))
        if repro is not None and reproduce.size(repro) <= self._room:
            self._room -= reproduce.size(repro)
            record["detail"]["repro"] = repro
        if record["group"] == "example" or not self._later:
            self._later.append(after.Later(record, notes.pictures, notes.offers))

    def _look_into_failures(self) -> None:
        """What needs the submission once more; by now no verdict can change."""
        if self._to_first_failure or self._stop is not None or self._session.load_s > SLOW_LOAD_S:
            return
        found = after.look_into(
            self._later,
            self._recorder,
            self._open_again,
            self._plugin.problem.tolerances,
            self._limits.time_limit_s,
            lambda why: self._log("pictures", why),
        )
        for one in found:
            self._events.send({"shown": one})

    def _open_again(self, seconds: float) -> Session:
        limits = dataclasses.replace(self._limits, time_limit_s=seconds)
        return Session(self._client, self._program, limits, cell_seed(self.seed))

    def _log(self, name: str, why: str) -> None:
        self._events.send({"log": {"case": name, "fault": why}})

    def _exhausted(self, outcome: Outcome) -> Verdict | None:
        """The verdict that every later case takes, once the submission has used up what a judgement allows."""
        if (
            self._session.deaths >= DEATHS_MAX or outcome.verdict is Verdict.OLE
        ):  # the output limit is for all cases
            return outcome.verdict
        busy_s = self._session.delayed_s + own_run_delay_s() - self._own_delay_s  # the machine, with others
        wall_s = time.perf_counter() - self._start - busy_s
        limit_s = self._limits.judgement_limit_s
        return Verdict.TLE if self._cpu_s > limit_s or wall_s > 3 * limit_s else None

    def _not_run(self, record: dict[str, Any]) -> None:
        kind = "load" if self._load is not None else "not_run"
        record |= {"verdict": str(self._stop), "facts": {"kind": kind, "not_run": str(self._stop)}}

    def _inputs(self) -> Iterator[dict[str, Any]]:
        room = INPUTS_MAX_CHARS
        for name, args, kwargs in self._calls:
            shown: dict[str, Any] = {"call": clean(name, 80), "args": [], "kwargs": {}}
            for key, value in [*enumerate(args), *kwargs.items()]:
                text = describe(value) if room > 0 else "…"
                room -= len(text)
                if isinstance(key, int):
                    shown["args"].append(text)
                else:
                    shown["kwargs"][key] = text
            yield shown

    def _phases(self) -> dict[str, float]:
        total_s = time.perf_counter() - self._start
        load_s, compare_s = self._session.load_s, author.compare_seconds() - self._compared_s
        cell_s = max(0.0, self._cells_s - load_s)
        cases_s = max(0.0, total_s - self._cells_s - compare_s)
        phases = {"cell_s": cell_s, "load_s": load_s, "cases_s": cases_s, "compare_s": compare_s}
        return {name: round(seconds, 6) for name, seconds in phases.items()}


def _selected(cases: list[Case], mode: str, only: list[str] | None) -> list[Case]:
    return [
        case
        for case in cases
        if (mode != "run" or case.group == "example") and (only is None or case.name in only)
    ]
