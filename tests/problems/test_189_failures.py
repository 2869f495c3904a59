"""#189's wrong solutions as they are shown: the learner's own attention map, and a file that shows the mistake again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judge import repro
from judge.grading.grade import Grader, grade
from judge.problem import Problem
from judge.words import in_words

EXAMPLES = {
    "prepare": ["prepare-book", "prepare-padded-decode"],
    "forward": ["forward-book", "forward-padded-decode"],
}


def failing(problem: Problem, grader: Grader, source: str, part: str = "forward") -> dict[str, Any]:
    """The first example case of a part that is not accepted, in English."""
    graded = grade(problem, source.encode(), grader=grader, seed="fixed", only=EXAMPLES[part])
    assert graded.faults == []
    case = next(case for case in graded.cases if case["verdict"] != "AC")
    return in_words(case, problem, "en")


def wrong(problem: Problem, name: str) -> str:
    return problem.files[f"mutants/{name}.py"].decode()


@pytest.mark.parametrize(
    ("name", "what", "said"),
    [
        (
            "mask_top_left",
            "sees",
            "Rows 6–8 (B) see keys 0, 0–1 and 0–2; they should see 0–4, 0–5 and 0–6, respectively.",
        ),
        ("mask_missing", "sees", "Rows 6–7 (B) see keys 0–6; they should see 0–4 and 0–5, respectively."),
        ("table_unused", "sees", "Row 9 (C) sees keys of other requests only; it should see 0–8."),
        ("scale_missing", "weights", "with wrong weights"),
        ("values_are_keys", "values", "v_pool all zero"),
    ],
)
def test_the_learners_own_attention_map_is_told(
    p189: Problem, grader: Grader, name: str, what: str, said: str
) -> None:
    first = failing(p189, grader, wrong(p189, name))["pictures"][0]
    assert (first["kind"], first["what"]) == ("attention", what)
    assert said in first["sentence"]


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("cu_not_summed", "rows", "B has rows 6–8"),
        (
            "rows_by_position",
            "page_table",
            "Row 0 (A): cells 0–5 hold 9, 10, 11, 12, 13, -1; they should hold 30, 31",
        ),
    ],
)
def test_metadata_are_drawn_beside_the_right_ones(
    p189: Problem, grader: Grader, name: str, kind: str, said: str
) -> None:
    first = failing(p189, grader, wrong(p189, name), "prepare")["pictures"][0]
    assert first["kind"] == kind and said in first["sentence"]


MOODY = """

_calls = 0


def forward(q, k_pool, v_pool, meta, inner=forward):
    global _calls
    _calls += 1
    if _calls > 2:
        {harm}
    return inner(q, k_pool, v_pool, meta)
"""


@pytest.mark.parametrize(
    "harm", ["import os; os._exit(0)", "while True: pass", "raise KeyError(1)", "return None"]
)
def test_what_a_probe_meets_changes_no_verdict(p189: Problem, grader: Grader, harm: str) -> None:
    source = wrong(p189, "mask_top_left")
    calm, moody = (
        grade(p189, text.encode(), grader=grader, seed="fixed", only=EXAMPLES["forward"])
        for text in (source, source + MOODY.format(harm=harm))
    )
    kept = ("name", "verdict", "mistake", "facts", "points")
    assert [[case[key] for key in kept] for case in moody.cases] == [
        [case[key] for key in kept] for case in calm.cases
    ]
    assert (moody.verdict, moody.load, moody.faults) == ("WA", None, [])
    assert any(one["kind"] == "attention" for one in calm.cases[0]["pictures"])
    assert not any(one["kind"] == "attention" for one in moody.cases[0]["pictures"])


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("mask_top_left", "forward"),
        ("half_scores", "forward"),
        ("undocumented_key", "forward"),
        ("rows_by_position", "prepare"),
    ],
)
def test_the_file_shows_the_mistake_with_plain_torch(
    p189: Problem, grader: Grader, tmp_path: Path, name: str, part: str
) -> None:
    source = wrong(p189, name)
    case = failing(p189, grader, source, part)
    text = repro.write(case, p189, "zh", submission="mine.py")
    assert text is not None and len(text) < 16_000
    (tmp_path / "mine.py").write_text(source)
    (tmp_path / "solution.py").write_text(p189.solution)
    (tmp_path / "repro.py").write_text(text, "utf-8")

    def run(*argument: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "repro.py", *argument]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    wrong_run, right_run = run(), run("solution.py")
    assert wrong_run.returncode == 1
    assert ("KeyError" if name == "undocumented_key" else "AssertionError") in wrong_run.stderr
    assert right_run.returncode == 0, right_run.stderr
