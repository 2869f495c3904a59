"""A cell at one of its limits, beside an innocent one: each gets its own verdict."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from judge.grading.grade import Grade, Grader, grade
from judge.problem import Problem
from sandbox.client import ZygoteClient
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


def test_a_long_one_rests_for_short_ones_and_keeps_its_verdict(
    adding: Problem, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grader.pool._rests, "_cores", 2)
    asked: list[str] = []
    begin = ZygoteClient.begin

    def noted(self: ZygoteClient, op: str, **fields: Any) -> str:
        asked.append(op)
        return begin(self, op, **fields)

    monkeypatch.setattr(ZygoteClient, "begin", noted)
    work_s = 0.4 * adding.limits.time_limit_s * grader.pool.factor
    body = f"import time; end = time.process_time() + {work_s}\n    while time.process_time() < end: pass"
    found: list[Grade] = []
    long = threading.Thread(target=lambda: found.append(grade(adding, source_of(body), grader=grader)))
    long.start()
    beside = []
    while long.is_alive():
        beside.append(grade(adding, RIGHT, grader=grader))
    long.join()
    assert {"rest", "go_on"} <= set(asked)
    assert {one.verdict for one in [*found, *beside]} == {"AC"}
    assert all(case["time_s"] >= work_s for case in found[0].cases)
