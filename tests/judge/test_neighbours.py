"""A cell at one of its limits, beside an innocent one: each gets its own verdict."""

from __future__ import annotations

import threading

import pytest

from judge.grading.grade import Grade, Grader, grade
from judge.problem import Problem
from tests.soak.neighbours import AT_LIMIT, source_of

RIGHT = b"def add(a, b):\n    return a + b\n"


@pytest.mark.parametrize("limit", AT_LIMIT)
def test_both_are_judged_right(adding: Problem, grader: Grader, limit: str) -> None:
    body, verdict = AT_LIMIT[limit]
    source = source_of(body)
    beside: list[Grade] = []
    over = threading.Event()

    def judge_beside() -> None:
        while not over.is_set():
            beside.append(grade(adding, source, grader=grader))

    thread = threading.Thread(target=judge_beside)
    thread.start()
    innocent = [grade(adding, RIGHT, grader=grader) for _ in range(3)]
    over.set()
    thread.join()
    assert [(one.verdict, one.score, one.faults) for one in innocent] == [("AC", 100.0, [])] * 3
    assert {one.verdict for one in beside} == {verdict}
