"""A grader for the shipped problems, and the modules beside their cases as the grader imports them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from judge.grading.grade import Grader
from judge.problem import Problem, load_problem
from judge.startup import open_grader
from sandbox.pool import NoBackend
from tests.conftest import missing
from tests.problems.beside import Beside

BANK = Path(__file__).resolve().parents[2] / "problems"


@pytest.fixture(scope="session")
def p189() -> Problem:
    """#189 ms-attn-metadata."""
    return load_problem(BANK / "minisgl" / "189-ms-attn-metadata")


@pytest.fixture(scope="session")
def grader(p189: Problem) -> Iterator[Grader]:
    """A grader over two zygotes of the landlock backend."""
    try:
        with open_grader("landlock", 2, spares=0, problems=[p189]) as (_, grader):
            yield grader
    except NoBackend as error:
        missing(str(error))


@contextmanager
def modules_beside(problem: Problem, *names: str) -> Iterator[SimpleNamespace]:
    """The modules ``names`` from a problem's tests folder, as the grader would import them."""
    package = ModuleType(f"tests_of_{problem.number}")
    package.__path__ = [str(problem.folder / "tests")]
    sys.modules[package.__name__] = package
    try:
        yield SimpleNamespace(
            **{name: importlib.import_module(f"{package.__name__}.{name}") for name in names}
        )
    finally:
        for name in [name for name in sys.modules if name.startswith(package.__name__)]:
            del sys.modules[name]


@pytest.fixture(scope="session")
def beside189(p189: Problem) -> Iterator[SimpleNamespace]:
    """The modules ``batches``, ``metadata`` and ``attention`` from #189's tests folder."""
    with modules_beside(p189, "batches", "metadata", "attention") as modules:
        yield modules


def solution_of(problem: Problem) -> ModuleType:
    """The reference solution as a module of this process, with the problem's ``support`` where it has one."""
    support = ModuleType("support")
    if problem.support is not None:
        exec(problem.support, support.__dict__)
    before = sys.modules.get("support")
    sys.modules["support"] = support
    try:
        module = ModuleType(f"solution_of_{problem.number}")
        exec(problem.solution, module.__dict__)
    finally:
        sys.modules.pop("support")
        if before is not None:
            sys.modules["support"] = before
    return module


@pytest.fixture
def beside() -> Iterator[Callable[..., Beside]]:
    """Makes a `Beside`; what it imported is forgotten afterwards."""
    before = set(sys.modules)
    yield Beside
    for name in set(sys.modules) - before:
        if name == "solution" or name.startswith("agreement_"):
            del sys.modules[name]
