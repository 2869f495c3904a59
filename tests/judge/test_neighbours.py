"""A cell at one of its limits, beside an innocent one: each gets its own verdict."""

from __future__ import annotations

import threading

import pytest

from judge.grading.grade import Grade, Grader, grade
from judge.problem import Problem

RIGHT = b"def add(a, b):\n    return a + b\n"
AT_LIMIT = {
    "memory": ("kept = []\n    while True: kept.append(bytearray(1 << 20))", "MLE"),
    "torch's memory": ("import torch; kept = []\n    while True: kept.append(torch.ones(1 << 18))", "MLE"),
    "threads": (
        "import threading, time; threading.stack_size(32768)\n    "
        "while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "MLE",
    ),
    "output": ("while True: print('x' * 4096)", "OLE"),
    "files": ("import os; kept = []\n    while True: kept.append(os.open('/dev/null', os.O_RDONLY))", "RE"),
    "processor": ("while True: pass", "TLE"),
}


@pytest.mark.parametrize("limit", AT_LIMIT)
def test_both_are_judged_right(adding: Problem, grader: Grader, limit: str) -> None:
    body, verdict = AT_LIMIT[limit]
    source = f"def add(a, b):\n    {body}\n    return a + b\n".encode()
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
