from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.fakes import TINY, FakeGrading, RunCli

STARTER = (TINY / "901-add" / "starter.py").read_text("utf-8")
SOLUTION = (TINY / "901-add" / "solution.py").read_text("utf-8")


def test_the_list_shows_number_slug_title_and_what_was_achieved(run: RunCli, grading: FakeGrading) -> None:
    before = run("list").out.splitlines()
    assert any(line.split() == ["901", "tiny-add", "Add", "1", "easy"] for line in before)
    Path("right.py").write_text("AC")
    run("test", "901", "right.py")
    assert any(
        line.split() == ["901", "tiny-add", "Add", "1", "easy", "solved"]
        for line in run("list").out.splitlines()
    )
    assert any("已通过" in line for line in run("--lang", "zh", "list").out.splitlines())


def test_start_prints_the_statement_and_makes_the_file(run: RunCli, tmp_path: Path) -> None:
    told = run("start", "901")
    mine = tmp_path / "workspace" / "901-tiny-add.py"
    assert told.status == 0
    assert "#901 tiny-add Add" in told.out
    assert "workspace/901-tiny-add.py" in told.out and "judge.py test 901" in told.out
    assert mine.read_text("utf-8") == STARTER


def test_start_never_overwrites(run: RunCli, tmp_path: Path) -> None:
    run("start", "tiny-add")
    mine = tmp_path / "workspace" / "901-tiny-add.py"
    mine.write_text("my work")
    told = run("start", "tiny-add")
    assert told.status == 0
    assert mine.read_text() == "my work"
    assert "was not changed" in told.out


def test_a_workspace_that_cannot_be_written_is_one_line(run: RunCli, tmp_path: Path) -> None:
    (tmp_path / "workspace").write_text("in the way")
    told = run("start", "901")
    assert told.status == 2
    assert "JUDGE_WORKSPACE" in told.err and told.err.count("\n") == 1


def test_the_solution_is_shown_to_one_who_insists_or_has_solved_it(run: RunCli, grading: FakeGrading) -> None:
    assert run("solution", "901").status == 2
    insisting = run("solution", "901", "--yes")
    assert (insisting.status, insisting.out.strip()) == (0, SOLUTION.strip())
    Path("right.py").write_text("AC")
    run("901", "right.py")
    assert run("solution", "901").out == insisting.out


def test_other_right_solutions_are_named(
    run: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(TINY, tmp_path / "bank")
    other = tmp_path / "bank" / "901-add" / "solutions" / "swapped.py"
    other.parent.mkdir()
    other.write_text("def add(a, b):\n    return b + a\n")
    monkeypatch.setenv("JUDGE_PROBLEMS", str(tmp_path / "bank"))
    assert "swapped.py" in run("solution", "901", "--yes").err
    monkeypatch.setenv("JUDGE_PROBLEMS", str(TINY))
    assert "swapped" not in run("solution", "901").err


def test_new_makes_a_problem_in_the_last_bank_and_says_where(
    run: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = tmp_path / "own"
    bank.mkdir()
    monkeypatch.setenv("JUDGE_PROBLEMS", str(bank))
    told = run("new", "mx-own")
    [folder] = (bank / "minisgl").iterdir()
    assert told.status == 0 and f"own/minisgl/{folder.name}" in told.out
    number = folder.name.partition("-")[0]
    assert f"check {number}" in told.out
    assert "mx-own" in run("list").out
    again = run("new", "mx-own")
    assert (again.status, again.out) == (2, "") and "mx-own" in again.err


def test_the_list_is_cut_down_as_on_the_site(run: RunCli) -> None:
    assert "901" in run("list", "tiny", "--chapter", "1", "--status", "new").out
    told = run("list", "--chapter", "99")
    assert "901" not in told.out and "no problem matches" in told.err
    assert run("list", "--status", "great").status == 2


def test_the_list_says_what_to_do_next(run: RunCli, grading: FakeGrading) -> None:
    assert "Next: #" in run("list").err  # which one is for the bank to say
    Path("wrong.py").write_text("WA")
    run("test", "901", "wrong.py")
    assert "Continue with #901" in run("list").err
    Path("right.py").write_text("AC")
    run("test", "901", "right.py")
    after = run("list").err
    assert "1: 1/" in after and "#901" not in after


def test_insisting_on_the_solution_is_giving_up(run: RunCli) -> None:
    run("solution", "901", "--yes")
    assert run("solution", "901").status == 0
    assert "solution seen" in run("list").out
