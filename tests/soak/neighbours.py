"""What a cell at one of its limits costs an innocent one beside it, and what busy cores do to #189's verdict.

By hand, on an otherwise idle machine: ``python -m tests.soak.neighbours --backend landlock`` prints it as JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge.catalogue import Catalogue
from judge.config import REPOSITORY
from judge.grading.grade import Grader, grade
from judge.problem import Problem, load_problem
from sandbox.pool import Settings, open_pool

ADD = Path(__file__).parents[1] / "judge" / "bank" / "tiny" / "901-add"
AT_LIMIT = {  # what is at its limit: the body of a function of a and b, its verdict
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
SPIN = "while True: pass"


def source_of(body: str) -> bytes:
    """A submission to the small problem of sums."""
    return f"def add(a, b):\n    {body}\n    return a + b\n".encode()


@contextlib.contextmanager
def open_grader(backend: str, size: int) -> Iterator[Grader]:
    """A pool and a grader of their own."""
    with open_pool(backend, size=size, settings=Settings(spares=1)) as pool:
        grader = Grader(pool)
        grader.start()
        try:
            yield grader
        finally:
            grader.close()


@contextlib.contextmanager
def spinning(count: int) -> Iterator[None]:
    """That many other processes use a whole core each, as far as there are cores."""
    others = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(count)]
    try:
        yield
    finally:
        for one in others:
            one.kill()
            one.wait()


def judge_once(problem: Problem, grader: Grader, ends: Counter[str]) -> float:
    """Seconds of judging the problem's solution; its verdict and score are counted in ``ends``."""
    began = time.perf_counter()
    one = grade(problem, problem.files["solution.py"], grader=grader)
    ends[f"{one.verdict} {one.score:g}"] += 1
    return time.perf_counter() - began


def judge_many(problem: Problem, grader: Grader, count: int) -> tuple[float, Counter[str]]:
    """Median seconds of judging the problem's solution, and how often which verdict with which score came of it."""
    ends = Counter[str]()
    return statistics.median(judge_once(problem, grader, ends) for _ in range(count)), ends


@contextlib.contextmanager
def neighbour(
    adding: Problem, grader: Grader, source: bytes, *, once: bool = False
) -> Iterator[Counter[str]]:
    """Meanwhile ``source`` is judged again and again, or once; its verdicts."""
    over, seen = threading.Event(), Counter[str]()

    def judge_on() -> None:
        while not over.is_set():
            seen[str(grade(adding, source, grader=grader).verdict)] += 1
            if once:
                break

    thread = threading.Thread(target=judge_on)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def beside(problem: Problem, grader: Grader, count: int) -> dict[str, Any]:
    """The problem judged alone and beside each of AT_LIMIT: beside one submission each time, and beside a flood of them."""
    adding, told = load_problem(ADD), {}
    judge_many(problem, grader, 3)
    for name, (body, verdict) in AT_LIMIT.items():
        ends, seen = Counter[str](), Counter[str]()
        alone_s, beside_s = [], []
        for _ in range(count):
            alone_s.append(judge_once(problem, grader, ends))
            with neighbour(adding, grader, source_of(body), once=True) as one:
                beside_s.append(judge_once(problem, grader, ends))
            seen += one
        with neighbour(adding, grader, source_of(body)) as flood:
            flood_s, flood_ends = judge_many(problem, grader, count)
        told[name] = {
            "slower": _over(statistics.median(beside_s), alone_s),
            "slower in a flood": _over(flood_s, alone_s),
            "ends": ends + flood_ends,
            "beside": seen,
            "flood": flood,
            "expected": verdict,
        }
    return told


def _over(seconds: float, alone_s: list[float]) -> float:
    return round(seconds / statistics.median(alone_s), 3)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="landlock")
    parser.add_argument("--count", type=int, default=20, help="judgements beside each neighbour")
    parser.add_argument(
        "--busy", type=int, default=100, help="judgements with all cores busy, and with a quarter of one"
    )
    asked = parser.parse_args()
    problem = Catalogue([REPOSITORY / "problems"]).find("189")
    cores = sorted(os.sched_getaffinity(0))
    told: dict[str, Any] = {"cores": len(cores)}
    with open_grader(asked.backend, size=2) as grader:
        told["beside"] = beside(problem, grader, asked.count)
        with spinning(len(cores)):
            told["all cores busy"] = judge_many(problem, grader, asked.busy)
    os.sched_setaffinity(0, cores[:1])  # what is started from here on shares one core
    with open_grader(asked.backend, size=1) as grader, spinning(3):
        told["a quarter of a core"] = judge_many(problem, grader, asked.busy)
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
