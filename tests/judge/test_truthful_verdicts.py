"""A verdict is the submission's own doing: limits are told apart, and a busy machine is not held against anybody."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from judge.catalogue import Catalogue
from judge.config import REPOSITORY
from judge.grading import grade as grading
from judge.grading.grade import Grader, grade
from judge.problem import Problem
from judge.verdict import Verdict
from judge.words import localise
from sandbox.contract import SandboxFault
from tests.conftest import every_backend

RIGHT = b"def add(a, b):\n    return a + b\n"
BURN = """
import time

def add(a, b):
    end = time.process_time() + {seconds}
    while time.process_time() < end:
        pass
    return a + b
"""
LIMITS = [
    (
        "import threading, time; [threading.Thread(target=time.sleep, args=(60,)).start() for _ in range(600)]; time.sleep(60)",
        "MLE",
    ),
    ("import numpy; return numpy.ones(1 << 30)", "MLE"),
    ("return 'x' * (1 << 31)", "MLE"),
    ("return [0] * (1 << 31)", "MLE"),
    ("return list(range(1 << 30))", "MLE"),
    ("import torch; return torch.ones(1 << 16, 1 << 16) @ torch.ones(1 << 16, 1)", "MLE"),
    ("raise MemoryError('not really')", "MLE"),
    ("while True: print('x' * 1000)", "OLE"),
    ("import sys; sys.stderr.write('x' * (1 << 20)); return a + b", "OLE"),
    ("import os; os.write(1, b'x' * (1 << 20)); return a + b", "OLE"),
    ("import threading; threading.Event().wait()", "TLE"),
    ("return add(a, b)", "RE"),
    ("import os; os.kill(os.getpid(), 9)", "RE"),
    ("import os; os.kill(os.getpid(), 24)", "RE"),
    ("import ctypes; ctypes.string_at(0)", "RE"),
    ("import os; os.abort()", "RE"),
]


@every_backend
@pytest.mark.parametrize(("body", "verdict"), LIMITS, ids=[f"{v}-{b[:24]}" for b, v in LIMITS])
def test_each_limit_has_its_own_verdict(adding: Problem, grader: Grader, body: str, verdict: str) -> None:
    prelude = "import threading\nthreading.stack_size(32768)\n"
    report = grade(adding, f"{prelude}def add(a, b):\n    {body}\n".encode(), grader=grader).report()
    assert report["cases"][0]["verdict"] == verdict, report["cases"][0]
    for lang in ("zh", "en"):
        assert localise(report, adding, lang)["cases"][0]["message"]


def test_a_tle_by_less_than_twofold_is_judged_once_more_alone(
    adding: Problem, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = BURN.format(seconds=1.3 * adding.limits.time_limit_s * grader.pool.factor).encode()
    jobs: list[Any] = []
    attempt = grading._attempt

    def recording(job: Any, grader: Grader, *, last: bool) -> Any:
        jobs.append((job.only, grader.pool._alone))
        return attempt(dataclasses.replace(job, source=RIGHT) if len(jobs) > 1 else job, grader, last=last)

    monkeypatch.setattr(grading, "_attempt", recording)
    told: list[str] = []
    starts: list[int] = []
    result = grade(
        adding,
        source,
        grader=grader,
        on_start=starts.append,
        on_case=lambda case: told.append(f"{case['name']} {case['verdict']}"),
    )
    assert jobs == [(None, None), (["add-small", "add-random"], threading.get_ident())]
    assert (result.verdict, result.score, result.faults) == (Verdict.AC, 100.0, [])
    assert told == ["add-small TLE", "add-random TLE", "add-small AC", "add-random AC"]
    assert starts == [2, 2]


def test_a_tle_by_less_than_twofold_stays_one_when_it_comes_again(adding: Problem, grader: Grader) -> None:
    source = BURN.format(seconds=1.3 * adding.limits.time_limit_s * grader.pool.factor).encode()
    result = grade(adding, source, grader=grader)
    assert {case["verdict"] for case in result.cases} == {"TLE"}
    assert all(case["time_s"] > adding.limits.time_limit_s for case in result.cases if case["ran"])


@pytest.mark.parametrize("body", ["while True: pass", "import time; time.sleep(1e6)"])
def test_a_tle_beyond_doubt_is_judged_once(
    adding: Problem, grader: Grader, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr(grading, "_judge_alone", lambda *_: pytest.fail("judged again"))
    source = f"def add(a, b):\n    {body}\n".encode()
    assert grade(adding, source, grader=grader).verdict is Verdict.TLE


def test_alone_means_that_nobody_else_gets_a_zygote(grader: Grader) -> None:
    pool, got = grader.pool, threading.Event()

    def other() -> None:
        pool.release(pool.acquire(60), reusable=True)
        got.set()

    with pool.alone(60) as quiet:
        assert quiet
        thread = threading.Thread(target=other)
        thread.start()
        pool.release(pool.acquire(60), reusable=True)
        assert not got.wait(0.3)
    thread.join(60)
    assert got.is_set()
    busy = pool.acquire(60)
    with pool.alone(0.05) as quiet:
        assert not quiet
    pool.release(busy, reusable=True)
    with pytest.raises(SandboxFault):
        busy, more = pool.acquire(60), pool.acquire(60)
        try:
            pool.acquire(0.05)
        finally:
            pool.release(busy, reusable=True)
            pool.release(more, reusable=True)


@contextmanager
def busy_machine(times: int) -> Iterator[None]:
    """``times`` as many busy loops as there are processors."""
    count = times * len(os.sched_getaffinity(0))
    loops = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@pytest.mark.parametrize("times", [1, 4], ids=["all-cores-busy", "less-than-a-quarter-of-a-core"])
def test_a_right_solution_of_a_real_problem_is_accepted_on_a_busy_machine(grader: Grader, times: int) -> None:
    problem = Catalogue([REPOSITORY / "problems"]).find("189")
    with busy_machine(times):
        result = grade(problem, problem.solution.encode(), grader=grader)
    assert (result.verdict, result.score, result.faults) == (Verdict.AC, 100.0, [])


def test_a_slow_solution_is_not_blamed_for_waiting_for_a_processor(adding: Problem, grader: Grader) -> None:
    """Half its limit of work takes more than three times the limit of waiting here."""
    source = BURN.format(seconds=0.5 * adding.limits.time_limit_s * grader.pool.factor).encode()
    with busy_machine(8):
        result = grade(adding, source, grader=grader)
    assert (result.verdict, result.faults) == (Verdict.AC, [])
