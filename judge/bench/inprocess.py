"""A pytest plugin that runs a problem's cases in one process with the solution: no cell, no wire, no isolation.

It is what a judgement is measured against, and must never judge a learner's code. Used as ``-p judge.bench.inprocess``
in a plain pytest, and by `judge.bench.floor`.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from judge.bench.measure import FOLDER
from judge.grading import author
from judge.grading.plugin import case_name
from judge.grading.seeds import Rng, rng_for
from judge.problem import Problem, load_problem

SEED = "bench"


class Harness:
    """The problem's drivers, on copies: they write into what they are given, and cells have their own."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(self._module, name)
        return lambda *args, **kwargs: function(*copy.deepcopy(args), **copy.deepcopy(kwargs))


def loaded(problem: Problem) -> ModuleType:
    """The problem's own solution as the object that cases call ``submission``."""
    solution = _executed("solution", problem.solution)
    if problem.harness is not None:
        solution.harness = Harness(_executed("harness", problem.harness))  # type: ignore[attr-defined]
    return solution


def _executed(name: str, source: str) -> ModuleType:
    module = sys.modules[name] = ModuleType(name)
    exec(compile(source, f"{name}.py", "exec", dont_inherit=True), vars(module))
    return module


def pytest_configure(config: pytest.Config) -> None:
    """Reads the problem, and gives the checks its tolerances for the whole session."""
    config.problem = problem = load_problem(Path(os.environ[FOLDER]))  # type: ignore[attr-defined]
    sys.path[:0] = [str(problem.folder / "tests"), str(problem.folder)]
    stack = ExitStack()
    stack.enter_context(author.tolerances(problem.tolerances))
    config.add_cleanup(stack.close)


@pytest.fixture(scope="session")
def submission(request: pytest.FixtureRequest) -> ModuleType:
    """The solution."""
    return loaded(request.config.problem)  # type: ignore[attr-defined]


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> Rng:
    """The case's own generator."""
    return rng_for(SEED, case_name(request.node))


@pytest.fixture
def problem(request: pytest.FixtureRequest) -> Any:
    """The problem that the case belongs to."""
    return request.config.problem  # type: ignore[attr-defined]
