"""The grader's pytest plugin: which items are cases, their fixtures, and what each ended with.

One instance lives in a template. Collection happens there once; `Plugin.run` is called in a fork.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from judge.grading import author
from judge.grading.outcome import Outcome
from judge.grading.seeds import Rng, rng_for, settle
from judge.problem import Problem

_OWN_FIXTURES = ("submission", "rng", "problem")
GROUPS = {"test_examples.py": "example", "test_hidden.py": "hidden"}


@dataclass(frozen=True)
class Case:
    """One collected case of a problem."""

    name: str
    group: str
    part: str
    points: int
    means: Mapping[str, str]
    item: pytest.Function
    params: Mapping[str, Any] | None = None  # of a plain case (see `plain_params`); None: pytest must run it

    def mistake_of(self, outcome: Outcome) -> str | None:
        """The key of the mistake behind ``outcome``: its own, or what the case says such an ending means.

        What is not written yet is no mistake: its endings mean nothing unless the case names that exception.
        """
        builtin = outcome.facts.get("builtin", "")
        endings = (builtin,) if builtin == "NotImplementedError" else (builtin, str(outcome.verdict))
        named = (self.means.get(name) for name in endings)
        return outcome.mistake or next((key for key in named if key), None)

    def blank(self) -> dict[str, Any]:
        """The case's record before anything is known about it."""
        return {
            "name": self.name,
            "group": self.group,
            "part": self.part,
            "verdict": "SE",
            "points": 0,
            "max_points": self.points,
            "mistake": None,
            "time_s": 0.0,
            "memory_mib": 0.0,
            "ran": False,
            "facts": {},
            "detail": {},
        }


class Run(Protocol):
    """What a judgement gives to the fixtures of its cases."""

    seed: str

    def begin_case(self) -> Any:
        """The submission, ready for one case."""


class Plugin:
    """Collects the cases of ``problem``, then calls ``serve`` in place of pytest's own loop."""

    def __init__(self, problem: Problem, serve: Callable[[Plugin], None]) -> None:
        self.problem = problem
        self.cases: list[Case] = []
        self.faults: list[str] = []
        self.run: Run | None = None
        self._serve = serve
        self._error: BaseException | None = None
        self._running = ""  # the name of the case that runs

    def execute(self, case: Case, following: Case | None) -> BaseException | None:
        """Runs one case with its fixtures; what it raised, or None. Its fixtures end unless ``following`` shares them.

        A plain case is called as pytest would call it, without the rest of pytest's protocol, which costs more than
        most cases do.
        """
        if case.params is not None:
            return self.call(case)
        self._error, self._running = None, case.name
        assert self.run is not None
        settle(self.run.seed, case.name)
        # pytest never learns of a plain case: what this one set up must not be left for it to take down
        shares = following is not None and following.params is None
        case.item.ihook.pytest_runtest_protocol(
            item=case.item, nextitem=following.item if following is not None and shares else None
        )
        return self._error

    def call(self, case: Case) -> BaseException | None:
        """`execute` for a plain case."""
        assert self.run is not None and case.params is not None
        run = self.run
        settle(run.seed, case.name)
        made: dict[str, Callable[[], Any]] = {
            "submission": run.begin_case,
            "rng": lambda: rng_for(run.seed, case.name),
            "problem": lambda: self.problem,
        }
        try:
            fixtures = {name: made[name]() for name in case.item.fixturenames if name in made}
            function: Any = case.item.obj
            function(**fixtures, **case.params)
        except (KeyboardInterrupt, pytest.exit.Exception):  # they end the session, as pytest has it
            raise
        except BaseException as error:
            return error
        return None

    @pytest.fixture
    def submission(self) -> Any:
        """The learner's functions."""
        assert self.run is not None
        return self.run.begin_case()

    @pytest.fixture
    def rng(self) -> Rng:
        """The case's own generator."""
        assert self.run is not None
        return rng_for(self.run.seed, self._running)

    @pytest.fixture(name="problem")
    def _problem(self) -> Problem:
        """The problem that the case belongs to."""
        return self.problem

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keeps what went wrong while a test file was imported."""
        if report.failed:
            self.faults.append(str(report.longrepr))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Takes the collected items as cases, examples first."""
        for item in session.items:
            self._add(item)
        names = [case.name for case in self.cases]
        self.faults += [f"two cases are called {name}" for name in set(names) if names.count(name) > 1]
        self.cases.sort(key=lambda case: case.group != "example")
        if not self.cases and not self.faults:
            self.faults.append("no case: a case is a pytest function marked with @case")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Serves judgements instead of running what was collected."""
        with author.tolerances(self.problem.tolerances):
            self._serve(self)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """Keeps the first exception of a case as it is, and spares pytest from printing a traceback of it."""
        if call.excinfo is not None and self._error is None:
            self._error = call.excinfo.value
        outcome: Any = "passed" if call.excinfo is None else "failed"
        when: Any = call.when
        return pytest.TestReport(
            item.nodeid, item.location, {}, outcome, None, when, start=call.start, stop=call.stop
        )

    def _add(self, item: pytest.Item) -> None:
        mark = getattr(getattr(item, "function", None), author.CASE_MARK, None)
        if not isinstance(item, pytest.Function) or not isinstance(mark, author.CaseMark):
            self.faults.append(f"{item.nodeid} is not marked with @case(part=..., points=...)")
        elif mark.part not in {part.name for part in self.problem.parts}:
            self.faults.append(f"{item.nodeid}: problem.toml has no part {mark.part}")
        else:
            group = GROUPS[Path(item.path).name]
            params = plain_params(item)
            self.cases.append(Case(case_name(item), group, mark.part, mark.points, mark.means, item, params))


def case_name(item: Any) -> str:
    """The fixed id of a case: ``test_forward_book`` is ``forward-book``; a parameter's id is added by a hyphen."""
    name = item.originalname.removeprefix("test_").replace("_", "-")
    spec = getattr(item, "callspec", None)
    return name if spec is None else f"{name}-{spec.id.replace('_', '-')}"


def plain_params(item: pytest.Function) -> Mapping[str, Any] | None:
    """The parameters of a *plain* case: a function that asks for nothing but our fixtures and direct parameters.

    None for a case with other fixtures (an autouse one or a ``setup_module`` counts), with marks, or in a class.
    """
    params: Mapping[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
    marked = any(mark.name != "parametrize" for mark in item.iter_markers())
    if marked or item.cls is not None or inspect.iscoroutinefunction(item.function):
        return None
    for name in item.fixturenames:
        manager: Any = item.session._fixturemanager
        defined = len(manager.getfixturedefs(name, item) or ())
        ours = (
            name in _OWN_FIXTURES and name not in params and defined == 1
        )  # and not replaced by the problem's
        if not ours and not (name in params and defined == 0):
            return None
    return params
