"""Cases that the grader calls itself, and cases that need pytest: found at collection, and alike in what they come to."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from judge.grading.plugin import Plugin
from judge.grading.template import collect
from judge.problem import Problem

HEAD = """
import pytest
from judge.grading.author import case, check


@pytest.fixture
def number():
    yield 7
    LEFT.append("number")


LEFT = []
"""
BODIES = {
    "plain": "def test_it(submission, rng, problem): check.that(submission == problem.slug, mistake='add-values')",
    "parameters": "@pytest.mark.parametrize('a, b', [(1, 1)], ids=['one'])\n{case}def test_it(a, b): assert a == b == 1",
    "wrong": "def test_it(submission): check.that(False, mistake='add-values')",
    "raises": "def test_it(submission): raise LookupError('x')",
    "skips": "def test_it(submission): pytest.skip('not here')",
    "own fixture": "def test_it(number, submission): assert number == 7",
    "indirect": "@pytest.mark.parametrize('number', [1], indirect=True, ids=['one'])\n{case}def test_it(number): assert number == 7",
    "pytest's fixture": "def test_it(tmp_path): assert tmp_path.is_dir()",
    "marked": "@pytest.mark.skipif(True, reason='never')\n{case}def test_it(): raise LookupError",
    "replaced": "@pytest.fixture\ndef rng(): return 5\n\n\n{case}def test_it(rng): assert rng == 5",
    "autouse": "@pytest.fixture(autouse=True)\ndef before(): LEFT.append(1)\n\n\n{case}def test_it(): assert LEFT == [1]",
    "set-up": "def setup_function(): LEFT.append(1)\n\n\n{case}def test_it(): assert LEFT == [1]",
    "class": "class TestIt:\n    {case}    def test_it(self): assert self.__class__",
}
PLAIN = ("plain", "parameters", "wrong", "raises", "skips")
ENDS = {"wrong": "Wrong", "raises": "LookupError", "skips": "Skipped", "marked": "Skipped"}
CASE = "@case(part='add', points=2)\n"


class Run:
    """A judgement whose submission is the problem's slug."""

    seed = "s"

    def begin_case(self) -> Any:
        return "tiny-add"


Ended = tuple[bool, BaseException | None]
Execute = Callable[[Problem, bool], list[Ended]]


@pytest.fixture
def execute(monkeypatch: pytest.MonkeyPatch) -> Iterator[Execute]:
    """Collects a problem's cases and runs them (all by pytest, if asked): whether each is plain, and what it raised."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def run(problem: Problem, by_pytest: bool) -> list[Ended]:
        found: list[Ended] = []

        def serve(plugin: Plugin) -> None:
            assert plugin.faults == []
            plugin.run = Run()
            cases = plugin.cases[1:]  # without the example
            plain = [case.params is not None for case in cases]
            if by_pytest:
                cases = [replace(case, params=None) for case in cases]
            ends = [plugin.execute(*pair) for pair in zip(cases, [*cases[1:], None], strict=True)]
            found.extend(zip(plain, ends, strict=True))

        before = set(sys.modules)
        collect(problem, serve)
        for name in (
            set(sys.modules) - before
        ):  # a template is a process of its own; here, the next file is another
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(problem.folder)):
                del sys.modules[name]
        return found

    yield run


def written(body: str) -> str:
    text = body if "{case}" in body else "{case}" + body
    indented = CASE.replace("@", "    @") if text.startswith("class") else CASE
    return HEAD + "\n\n" + text.replace("    {case}", indented).replace("{case}", CASE) + "\n"


@pytest.mark.parametrize("kind", BODIES)
def test_what_needs_nothing_of_pytest_is_called_without_it(
    kind: str, with_hidden: Callable[[str], Problem], execute: Execute
) -> None:
    problem = with_hidden(written(BODIES[kind]))
    ((plain, error),) = execute(problem, False)
    assert plain == (kind in PLAIN)
    assert type(error).__name__ == ENDS.get(kind, "NoneType")
    if plain:
        ((_, other),) = execute(problem, True)
        assert type(other) is type(error) and str(other) == str(error)


def test_plain_cases_and_others_take_turns(with_hidden: Callable[[str], Problem], execute: Execute) -> None:
    shared = "@pytest.fixture(scope='module')\ndef shared():\n    yield 3\n\n\n"
    names = ("first(shared)", "second()", "third(shared)", "fourth(shared)", "fifth()")
    cases = "\n\n".join(f"{{case}}def test_{name}: pass\n" for name in names)
    ended = execute(with_hidden(written(shared + cases)), False)
    assert ended == [(False, None), (True, None), (False, None), (False, None), (True, None)]


def test_an_interrupt_is_no_outcome_of_a_case(
    with_hidden: Callable[[str], Problem], execute: Execute
) -> None:
    problem = with_hidden(written("def test_it(): raise KeyboardInterrupt"))
    assert execute(problem, False) == []  # the session ended in the midst of it
