"""A fork that waits rehearses the first cases up to their first call: it shows in no verdict, and nobody waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge.grading.grade import Grader, grade
from judge.problem import Problem

CASES = """
def note(word):
    with open({log!r}, "a") as log:
        print(word, file=log)


@case(part="add", points=1)
def test_noted(submission):
    import time
    note("before")
    time.sleep({seconds})
    try:
        submission.add(torch.ones(1), torch.ones(1))
    except Exception:
        note("swallowed")
    note("after")
"""
Noted = Callable[[float], tuple[Problem, Callable[[], list[str]]]]


@pytest.fixture
def noted(with_hidden: Callable[[str], Problem], tmp_path: Path) -> Noted:
    """A problem whose case notes how far it came and sleeps before its call; and what it noted so far."""
    log = tmp_path / "log"

    def make(seconds: float) -> tuple[Problem, Callable[[], list[str]]]:
        log.touch()
        problem = with_hidden(CASES.format(log=str(log), seconds=seconds))
        return problem, lambda: log.read_text().split()

    return make


def told(problem: Problem, grader: Grader) -> list[tuple[str, str, Any]]:
    """Each case's verdict and what it says, of the problem's solution."""
    graded = grade(problem, problem.solution.encode(), grader=grader, seed="s")
    assert not graded.faults
    return [(case["name"], case["verdict"], case["facts"]) for case in graded.cases]


def comes_to(look: Callable[[], list[str]], wanted: list[str]) -> bool:
    """Whether that is seen within some seconds."""
    deadline = time.monotonic() + 20
    while look() != wanted and time.monotonic() < deadline:
        time.sleep(0.02)
    return look() == wanted


def test_a_case_is_rehearsed_up_to_its_first_call(noted: Noted, grader: Grader) -> None:
    problem, look = noted(0)
    first = told(problem, grader)
    assert [verdict for _, verdict, _ in first] == ["AC", "AC"]
    judged_and_rehearsed = ["before", "after", "before"]  # rehearsed by the fork that waits now
    assert comes_to(look, judged_and_rehearsed)
    assert told(problem, grader) == first
    assert comes_to(look, 2 * judged_and_rehearsed)


def test_a_slow_case_is_rehearsed_once_and_never_again(noted: Noted, grader: Grader) -> None:
    problem, look = noted(1.5)

    def begun_and_ended() -> list[str]:
        return sorted(look(), reverse=True)

    first = told(problem, grader)
    assert comes_to(begun_and_ended, ["before", "before", "after"])
    assert told(problem, grader) == first
    time.sleep(1)  # time enough for another rehearsal
    assert begun_and_ended() == ["before", "before", "before", "after", "after"]
