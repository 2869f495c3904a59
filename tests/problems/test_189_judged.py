"""#189 through the whole judge: what a learner would hand in, and what is said about it."""

from __future__ import annotations

from typing import Any

import pytest

from judge.grading.grade import Grade, Grader, grade
from judge.problem import Problem


def judged(problem: Problem, grader: Grader, source: str, **how: Any) -> Grade:
    """One judgement with a fixed seed."""
    return grade(problem, source.encode(), grader=grader, seed="fixed", **how)


def first(graded: Grade) -> tuple[str, str, str | None]:
    """Name, verdict and mistake of the first case that is not accepted."""
    case = next(case for case in graded.cases if case["verdict"] != "AC")
    return case["name"], case["verdict"], case["mistake"]


def test_every_right_solution_is_accepted(p189: Problem, grader: Grader) -> None:
    paths = ["solution.py", *(path for path in p189.files if path.startswith("solutions/"))]
    assert len(paths) == 5
    for path in paths:
        graded = judged(p189, grader, p189.files[path].decode())
        assert (graded.verdict, graded.score, graded.faults) == ("AC", 100.0, []), path


def test_the_starter_runs_and_scores_nothing(p189: Problem, grader: Grader) -> None:
    graded = judged(p189, grader, p189.starter)
    assert (graded.verdict, graded.score, graded.load) == ("RE", 0.0, None)


@pytest.mark.parametrize("broken", ["prepare_metadata", "forward"])
def test_one_part_does_not_drag_down_the_other(p189: Problem, grader: Grader, broken: str) -> None:
    graded = judged(p189, grader, f"{p189.solution}\n\ndef {broken}(*args):\n    return None\n")
    assert graded.score == 50.0
    assert {case["part"] for case in graded.cases if case["verdict"] != "AC"} == {broken}


def test_the_same_seed_gives_the_same_verdicts(p189: Problem, grader: Grader) -> None:
    source = p189.files["mutants/half_scores.py"].decode()
    one, other = (judged(p189, grader, source) for _ in range(2))
    kept = ("name", "verdict", "mistake", "facts")
    assert [[case[key] for key in kept] for case in one.cases] == [
        [case[key] for key in kept] for case in other.cases
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("cu_cumsum_widens", ("prepare-book", "WA", "cu_seqlens_q-int64")),
        ("table_slice", ("prepare-owns-its-table-whole", "WA", "page_table-alias")),
        ("device_is_read", ("prepare-meta-device", "RE", "reads-the-device")),
        ("cell_by_cell", ("prepare-many-requests", "TLE", "python-loop")),
        ("undocumented_key", ("forward-book", "RE", "undocumented-key")),
        ("half_scores", ("forward-padded-decode", "WA", "half-precision")),
        ("mask_square", ("forward-long-decode", "MLE", "mask-square")),
    ],
)
def test_a_typical_mistake_meets_its_advice(
    p189: Problem, grader: Grader, path: str, expected: tuple[str, str, str]
) -> None:
    assert first(judged(p189, grader, p189.files[f"mutants/{path}.py"].decode())) == expected


PREPARE = """
def prepare_metadata(reqs, padded_reqs, page_table, inner=prepare_metadata):
    meta = inner(reqs, padded_reqs, page_table)
    {change}
    return meta
"""


@pytest.mark.parametrize(
    ("change", "verdict", "kind"),
    [
        ("meta['extra'] = 3", "AC", None),
        ("import numpy; meta['max_seqlen_k'] = numpy.int64(meta['max_seqlen_k'])", "RE", "bad_value"),
        ("meta['page_table'] = meta['page_table'].to_sparse()", "RE", "bad_value"),
        ("meta['max_seqlen_k'] = float(meta['max_seqlen_k'])", "WA", "wrong"),
        ("meta['max_seqlen_k'] = True", "WA", "wrong"),
        ("meta = list(meta.items())", "WA", "wrong"),
        ("meta['last_indices'] = meta['last_indices'][:, None]", "WA", "wrong"),
        ("meta['cache_seqlens'] = meta['cache_seqlens'].float()", "WA", "wrong"),
        ("meta['page_table'] = meta['page_table'][:, :1].to('meta')", "WA", "wrong"),
        ("meta['last_indices'] = torch.empty_like(meta['last_indices'], dtype=torch.int4)", "WA", "wrong"),
    ],
)
def test_odd_results_are_the_learners_verdict(
    p189: Problem, grader: Grader, change: str, verdict: str, kind: str | None
) -> None:
    graded = judged(p189, grader, p189.solution + PREPARE.format(change=change), mode="run")
    assert (graded.cases[0]["verdict"], graded.cases[0]["facts"].get("kind")) == (verdict, kind)
    assert graded.faults == []


@pytest.mark.parametrize("how", ["out.to('meta')", "out.to(torch.float8_e4m3fn)", "out.bool()"])
def test_an_odd_output_differs_in_its_form(p189: Problem, grader: Grader, how: str) -> None:
    odd = f"def forward(*args, inner=forward):\n    out = inner(*args)\n    return {how}\n"
    graded = judged(p189, grader, f"{p189.solution}\n\n{odd}", mode="run")
    case = next(case for case in graded.cases if case["name"] == "forward-book")
    assert (case["verdict"], case["facts"]["kind"]) == ("WA", "wrong") and graded.faults == []
