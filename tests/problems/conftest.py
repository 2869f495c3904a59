"""A grader for the shipped problems, and the modules beside their cases as the grader imports them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from judge.grading.grade import Grader
from judge.problem import Problem, load_problem
from judge.startup import open_grader
from sandbox.pool import NoBackend
from tests.conftest import missing

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


@pytest.fixture(scope="session")
def beside189(p189: Problem) -> Iterator[SimpleNamespace]:
    """The modules ``batches``, ``metadata`` and ``attention`` from #189's tests folder."""
    package = ModuleType("tests_of_189")
    package.__path__ = [str(p189.folder / "tests")]
    sys.modules[package.__name__] = package
    names = ("batches", "metadata", "attention")
    yield SimpleNamespace(**{name: importlib.import_module(f"tests_of_189.{name}") for name in names})
    for name in [name for name in sys.modules if name.startswith("tests_of_189")]:
        del sys.modules[name]
