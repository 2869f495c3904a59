"""kill -9 of each process of the grader while it judges: the verdict still arrives, once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judge.grading.grade import Grader, grade
from judge.problem import Problem
from judge.verdict import Verdict
from sandbox.pool import Zygote
from tests.conftest import eventually, missing

SLOW = b"import time\n\ndef add(a, b):\n    time.sleep(0.3)\n    return a + b\n"


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def processes(grader: Grader, what: str) -> list[int]:
    """The warm grader; its templates; or their judgements, running ones and the one that waits."""
    assert grader.pid is not None
    templates = children(grader.pid)
    judgements = [judgement for template in templates for judgement in children(template)]
    return {"grader": [grader.pid], "template": templates, "judgement": judgements}[what]


@pytest.mark.parametrize("victim", ["grader", "template", "judgement", "zygote"])
def test_the_verdict_arrives_once_though_a_process_is_killed(
    adding: Problem, grader: Grader, victim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    zygotes: list[Zygote] = []
    acquire = grader.pool.acquire

    def recording(timeout_s: float, fresh: bool = False) -> Zygote:
        zygotes.append(acquire(timeout_s, fresh))
        return zygotes[-1]

    monkeypatch.setattr(grader.pool, "acquire", recording)
    starts: list[int] = []

    def strike(total: int) -> None:
        starts.append(total)
        if len(starts) > 1:
            return
        if victim == "zygote":
            zygotes[-1].end()
        else:
            for pid in processes(grader, victim):
                os.kill(pid, signal.SIGKILL)

    result = grade(adding, SLOW, grader=grader, on_start=strike)
    assert (result.verdict, result.score, len(result.cases)) == (Verdict.AC, 100.0, 2)
    assert len(starts) == 2 and len(result.faults) == 1
    assert grade(adding, SLOW, grader=grader).verdict is Verdict.AC


def test_a_killed_cell_costs_at_most_its_case(
    adding: Problem, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    if grader.pool.backend != "landlock":
        pytest.skip("the cell of another backend is not a process that the test can see")
    zygotes: list[Zygote] = []
    acquire = grader.pool.acquire

    def recording(timeout_s: float, fresh: bool = False) -> Zygote:
        zygotes.append(acquire(timeout_s, fresh))
        return zygotes[-1]

    monkeypatch.setattr(grader.pool, "acquire", recording)
    told: list[str] = []

    def strike(case: dict[str, Any]) -> None:
        told.append(case["name"])
        if len(told) == 1:
            for pid in children(int(zygotes[-1].name.split()[-1])):
                os.kill(pid, signal.SIGKILL)

    result = grade(adding, SLOW, grader=grader, on_case=strike)
    assert told == [case["name"] for case in result.cases] == ["add-small", "add-random"]
    assert result.cases[0]["verdict"] == "AC" and result.faults == []
    # the second is RE where it had begun, and AC where it was given a fresh cell
    assert result.verdict in (Verdict.RE, Verdict.AC)


def test_a_judge_that_always_breaks_is_our_fault_in_the_end(adding: Problem, grader: Grader) -> None:
    def strike(_: int) -> None:
        for pid in processes(grader, "judgement"):
            os.kill(pid, signal.SIGKILL)

    result = grade(adding, SLOW, grader=grader, on_start=strike)
    assert (result.verdict, result.score, len(result.faults)) == (Verdict.SE, 0.0, 3)


PARENT = """
import sys
from pathlib import Path
from judge.grading.grade import Grader, grade
from judge.problem import load_problem
from sandbox.pool import open_pool
pool = open_pool("landlock", size=1)
grader = Grader(pool)
grader.start()
grade(load_problem(Path(sys.argv[1])), sys.stdin.buffer.read(), grader=grader,
      on_start=lambda total: print(grader.pid, flush=True))
"""


def test_nothing_outlives_a_parent_that_was_killed(adding: Problem) -> None:
    source = b"import time\n\ndef add(a, b):\n    time.sleep(60)\n"
    root = Path(__file__).resolve().parents[2]
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(adding.folder)],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert parent.stdin is not None and parent.stdout is not None
    parent.stdin.write(source)
    parent.stdin.close()
    said = parent.stdout.readline()
    if not said:
        missing("the landlock backend cannot be had here")
    warm = int(said)
    (template,) = children(warm)
    judgements = children(template)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert eventually(lambda: not any(running(pid) for pid in (warm, template, *judgements)))
