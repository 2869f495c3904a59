"""The command line on the tiny bank, with a data folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge import cli
from tests.cli.fakes import TINY, FakeGrading, Run, RunCli


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunCli:
    """Runs ``main`` in English (say ``--lang zh`` for the other) in an empty folder."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "JUDGE_LANG", "JUDGE_LEVEL", "JUDGE_SANDBOX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("JUDGE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("JUDGE_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.setenv("JUDGE_PROBLEMS", str(TINY))
    monkeypatch.chdir(tmp_path)

    def run_cli(*argv: str) -> Run:
        capsys.readouterr()
        status = cli.main(argv)
        told = capsys.readouterr()
        return Run(status, told.out, told.err)

    return run_cli


@pytest.fixture
def grading(monkeypatch: pytest.MonkeyPatch) -> FakeGrading:
    fake = FakeGrading()
    monkeypatch.setattr("judge.startup.open_grader", fake.open_grader)
    monkeypatch.setattr("judge.grading.grade.grade", fake.grade)
    return fake
