"""Scratch lines in a real cell: what they show, what their errors say, and that limits hold as in a judgement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from judge.grading.grade import Grade, Grader, grade
from judge.problem import Problem
from judge.words import scratch_in_words
from sandbox.pool import NoBackend, open_pool
from tests.conftest import missing

CODE = "import torch\n\n\nclass Req:\n    pass\n\n\ndef ramp(n):\n    return torch.arange(n)\n\n\ndef bad(x):\n    return x.nothing\n"


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    """On one backend: which one it is makes no difference to what is tested here."""
    try:
        pool = open_pool("landlock", size=1)
    except NoBackend as error:
        missing(str(error))
    with pool, Grader(pool) as grader:
        yield grader


def tried(problem: Problem, grader: Grader, lines: str, code: str = CODE) -> Grade:
    return grade(problem, code.encode(), grader=grader, mode="scratch", lines=lines)


def said(graded: Grade) -> dict[str, Any]:
    return scratch_in_words(graded.report(), "en")


def test_lines_show_what_they_print_and_what_they_come_to(counting: Problem, grader: Grader) -> None:
    lines = "x = ramp(3)\nx\nprint('hi')\nramp(12).view(3, 4).float()\nNone\nReq()\n{'a': [1, x]}\nimport numpy; numpy.ones(2)\n"
    graded = tried(counting, grader, lines)
    case = said(graded)
    assert (graded.verdict, case["message"], case["detail"]["stdout"]) == ("AC", "", "hi\n")
    shown = [(one["line"], one["text"]) for one in case["values"]]
    assert shown[0] == (2, "tensor([0, 1, 2], dtype=int64)")
    assert [line for line, _ in shown] == [2, 4, 6, 7, 8]
    assert shown[2][1].startswith("<solution.Req object") and shown[4][1] == "array([1., 1.])"
    picture = case["values"][1]["pictures"][0]
    assert picture["sentence"] == "3 × 4, float32, from 0 to 11."
    assert graded.report()["score"] == 0 and graded.faults == []


@pytest.mark.parametrize(
    ("lines", "verdict", "line", "own", "message"),
    [
        ("ramp(2)\nbad(ramp(2))", "RE", 2, [13], "AttributeError in line 13"),
        ("1\n\nnothing", "RE", 3, [], "NameError: name 'nothing' is not defined"),
        ("x = (\n", "RE", 1, [], "'(' was never closed"),
        ("raise SystemExit", "RE", 1, [], "SystemExit"),
        ("while True: pass", "TLE", None, [], "These lines used up"),
        ("print('x' * 100_000)", "OLE", None, [], "These lines printed more than"),
        ("import os\nos._exit(0)", "RE", None, [], "The process ended while running these lines"),
        ("x = [torch.ones(1 << 28) for _ in range(9)]", "MLE", None, [], "MiB"),
    ],
)
def test_what_goes_wrong_is_told(
    counting: Problem,
    grader: Grader,
    lines: str,
    verdict: str,
    line: int | None,
    own: list[int],
    message: str,
) -> None:
    graded = tried(counting, grader, lines)
    case = said(graded)
    assert (graded.verdict, case["facts"].get("scratch_line"), case["facts"].get("lines", [])) == (
        verdict,
        line,
        own,
    )
    assert message in case["message"]


def test_values_before_an_error_are_shown_and_many_are_cut(counting: Problem, grader: Grader) -> None:
    case = said(tried(counting, grader, "7\n1 / 0"))
    assert [one["text"] for one in case["values"]] == ["7"] and case["verdict"] == "RE"
    case = said(tried(counting, grader, "8\n" * 50))
    assert (len(case["values"]), case["detail"]["values_left_out"]) == (40, 10)


def test_code_that_does_not_load_is_told_and_needs_no_entry_point(counting: Problem, grader: Grader) -> None:
    graded = tried(counting, grader, "1", "x = (")
    assert graded.verdict == "CE" and "line 1" in said(graded)["message"]
    assert tried(counting, grader, "1", "y = 1").verdict == "AC"


def test_nothing_of_the_problem_but_its_public_files_is_there(counting: Problem, grader: Grader) -> None:
    lines = (
        "import support, sys\n"
        "[m for m in sys.modules if m.split('.')[0] in ('judge', 'pytest', '_pytest', 'minisgl') or m.startswith('test_')]\n"
        "import judge"
    )
    case = said(tried(counting, grader, lines))
    assert case["values"][0]["text"] == "[]"
    assert "ModuleNotFoundError" in case["message"]
