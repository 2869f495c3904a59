"""The next case is begun while the cell is at the case in front; nothing that a case or a submission can see changes."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from judge.grading.ahead import Turns
from judge.grading.grade import Grade, Grader, grade
from judge.grading.plugin import Case, Plugin
from judge.problem import Problem
from judge.verdict import Verdict
from sandbox.contract import LoadFailed

Make = Callable[[str], Problem]
COUNTS = b"""
CALLS = []


def add(a, b):
    CALLS.append(b)
    return list(CALLS)
"""
RIGHT = b"def add(a, b):\n    return a + b\n"


def hidden(found: Grade) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in found.cases if one["group"] == "hidden"}


def judged(problem: Problem, source: bytes, grader: Grader, **more: Any) -> dict[str, dict[str, Any]]:
    found = grade(problem, source, grader=grader, **more)
    assert found.faults == [] and not found.load
    return hidden(found)


def test_a_case_begins_early_and_calls_late(with_hidden: Make, grader: Grader) -> None:
    problem = with_hidden("""
LOG = []


@case(part="add", points=1)
@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_it(submission, name):
    LOG.append(f"{name} begins")
    submission.add(0, name)
    calls = submission.add(0, name)
    LOG.append(f"{name} ends")
    wrong("add-values", got=[LOG, calls[-2 * (ord(name) - 96):]])
""")
    told = judged(problem, COUNTS, grader)
    got = told["it-c"]["detail"]["got"]
    assert "['a begins', 'b begins', 'a ends', 'c begins', 'b ends', 'c ends']" in got
    assert "['a', 'a', 'b', 'b', 'c', 'c']" in got


def test_a_case_that_was_begun_outlives_the_cell_in_front(with_hidden: Make, grader: Grader) -> None:
    problem = with_hidden("""
@case(part="add", points=1)
def test_dies(submission):
    submission.add(1, 0)


@case(part="add", points=1)
def test_next(submission):
    check.equal(submission.add(2, 3), 5, field="out", mistake="add-values")
""")
    told = judged(problem, b"import os\n\n\ndef add(a, b):\n    return a + b if b else os._exit(1)\n", grader)
    assert [one["verdict"] for one in told.values()] == ["RE", "AC"]
    assert told["next"]["ran"] and told["next"]["time_s"] > 0


DRAWS = """
import random

import numpy as np


@case(part="add", points=1)
@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_it(submission, name):
    drawn = [draw() for draw in (random.random, np.random.rand, torch.rand(1).item)]
    submission.add(1, 2)
    drawn += [random.random(), np.random.rand(), torch.rand(1).item()]
    wrong("add-values", got=drawn)
"""


def test_what_a_case_draws_does_not_depend_on_its_neighbours(with_hidden: Make, grader: Grader) -> None:
    problem = with_hidden(DRAWS)
    together = judged(problem, RIGHT, grader, seed="one")
    assert len({one["detail"]["got"] for one in together.values()}) == 3
    for name, one in together.items():
        alone = judged(problem, RIGHT, grader, seed="one", only=[name])
        assert alone[name]["detail"]["got"] == one["detail"]["got"]


def test_each_case_keeps_its_own_pictures(with_hidden: Make, grader: Grader) -> None:
    problem = with_hidden("""
from judge.grading.author import picture


@case(part="add", points=1)
@pytest.mark.parametrize("rows", [2, 3, 4])
def test_it(submission, rows):
    picture.rows([0, rows])
    submission.add(1, 2)
    wrong("add-values")
""")
    told = judged(problem, RIGHT, grader)
    assert [[one["want"] for one in case["pictures"]] for case in told.values()] == [
        [[0, 2]],
        [[0, 3]],
        [[0, 4]],
    ]


def test_many_cases_do_not_rest_on_each_other(with_hidden: Make, grader: Grader) -> None:
    problem = with_hidden("""
@case(part="add", points=1)
@pytest.mark.parametrize("number", range(400))
def test_it(submission, number):
    check.equal(submission.add(number, 1), number + 1, field="out", mistake="add-values")
""")
    told = judged(problem, RIGHT, grader)
    assert len(told) == 400 and {one["verdict"] for one in told.values()} == {"AC"}


@pytest.mark.parametrize(
    "switched",
    ["torch.no_grad()", "torch.inference_mode()", "double()"],
)
def test_nobody_meets_what_the_case_in_front_has_switched(
    switched: str, with_hidden: Make, grader: Grader
) -> None:
    problem = with_hidden(f"""
from contextlib import contextmanager


@contextmanager
def double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@case(part="add", points=1)
def test_switches(submission):
    with {switched}:
        submission.add(1, 2)


@case(part="add", points=1)
def test_next(submission):
    made = torch.ones(1, requires_grad=True) * 2
    submission.add(1, 2)
    check.equal([made.requires_grad, str(made.dtype)], [True, "torch.float32"], field="out", mistake="add-values")
""")
    assert [one["verdict"] for one in judged(problem, RIGHT, grader).values()] == ["AC", "AC"]


def test_endings_before_the_first_call_and_callbacks(with_hidden: Make, grader: Grader) -> None:
    problem = with_hidden("""
@case(part="add", points=1)
def test_first(submission):
    check.equal(submission.add(1, 2), 3, field="out", mistake="add-values")


@case(part="add", points=1)
def test_skips(submission):
    pytest.skip("not here")


@case(part="add", points=1)
def test_wrong(submission):
    wrong("add-values")


@case(part="add", points=1)
def test_calls_back(submission):
    check.equal(submission.add(lambda x: x + 1, 4), 5, field="out", mistake="add-values")


@case(part="add", points=1)
def test_last():
    pass
""")
    source = b"def add(a, b):\n    return a(b) if callable(a) else a + b\n"
    told = judged(problem, source, grader)
    assert [one["verdict"] for one in told.values()] == ["AC", "SKIP", "WA", "AC", "AC"]


@pytest.mark.parametrize(
    ("fails", "meets"),
    [
        pytest.param(1, ["a begins", "load"], id="the first"),
        pytest.param(2, ["a begins", "load", "b begins", "a ends", "load"], id="after a death"),
    ],
)
def test_a_case_begins_before_its_cell_and_ends_where_that_fails(fails: int, meets: list[str]) -> None:
    seen: list[str] = []

    def load() -> None:
        seen.append("load")
        if seen.count("load") == fails:
            raise LoadFailed("raised")

    turns = Turns(cast(Plugin, None), "seed", load)

    class Recorder:
        def request(self, *args: Any, **kwargs: Any) -> Any:
            turns.meanwhile()

    session: Any = SimpleNamespace(encode=lambda args, kwargs: None, expect=lambda ready: None)

    def call(case: Case) -> None:
        caller = turns.caller(Recorder(), session)
        seen.append(f"{case.name} begins")
        caller.request("call", ("entry", "f"))
        seen.append(f"{case.name} ends")

    turns._plugin = cast(Plugin, SimpleNamespace(call=call))
    first, second = (cast(Case, SimpleNamespace(name=name, params={})) for name in ("a", "b"))
    errors = [turns.run(first, second)[0]]
    if errors[0] is None:
        errors.append(turns.run(second, None)[0])
    assert isinstance(errors[-1], LoadFailed) and len(errors) == fails
    assert seen == meets


def test_a_verdict_is_the_same_either_way(with_hidden: Make, grader: Grader) -> None:
    """A timeout in front, with the next one begun: it is told of the case that was slow."""
    problem = with_hidden("""
@case(part="add", points=1)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_it(submission, number):
    check.equal(submission.add(number, 1), number + 1, field="out", mistake="add-values")
""")
    source = b"def add(a, b):\n    while a == 2:\n        pass\n    return a + b\n"
    assert [Verdict(one["verdict"]) for one in judged(problem, source, grader).values()] == [
        Verdict.AC,
        Verdict.TLE,
        Verdict.AC,
    ]
