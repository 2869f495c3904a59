"""A problem may ask for a zygote that no other submission has used or will use."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from judge.grading.grade import Grader, grade
from judge.problem import Problem, ProblemError, load_problem
from judge.verdict import Verdict
from sandbox.pool import Zygote
from tests.judge.conftest import BANK


def with_fresh(tmp_path: Path, value: str) -> Path:
    """A copy of the problem of one example whose limits ask for it."""
    folder = Path(shutil.copytree(BANK / "901-add", tmp_path / "901-add"))
    text = (folder / "problem.toml").read_text()
    (folder / "problem.toml").write_text(text.replace("[limits]\n", f"[limits]\nfresh = {value}\n"))
    return folder


def test_it_is_true_or_false_and_false_by_itself(tmp_path: Path, adding: Problem) -> None:
    assert not adding.fresh
    assert load_problem(with_fresh(tmp_path / "a", "true")).fresh
    with pytest.raises(ProblemError, match="fresh must be true or false"):
        load_problem(with_fresh(tmp_path / "b", '"yes"'))


def test_each_submission_has_a_zygote_of_its_own(
    tmp_path: Path, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = load_problem(with_fresh(tmp_path, "true"))
    used: list[Zygote] = []
    acquire = grader.pool.acquire

    def recording(timeout_s: float, fresh: bool = False) -> Zygote:
        used.append(acquire(timeout_s, fresh))
        return used[-1]

    monkeypatch.setattr(grader.pool, "acquire", recording)
    for _ in range(2):
        assert grade(problem, problem.solution.encode(), grader=grader).verdict is Verdict.AC
    assert len({zygote.name for zygote in used}) == 2
    assert [(zygote.served, zygote.alive) for zygote in used] == [(1, False)] * 2
