from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from judge.db import Database
from judge.dispatch.base import Report, Result, fault
from judge.jobs import Job
from judge.lock import DataLock
from judge.models import Judgement
from judge.problem import load_problem
from judge.service import Service
from tests.cli.fakes import TINY, FakeGrading, RunCli, make_case
from tests.cli.test_usage import is_chinese, is_one_line


@pytest.fixture(autouse=True)
def stored(run: RunCli, grading: FakeGrading) -> None:
    """Submission 1 is WA, 2 is AC, 3 a run of the examples."""
    for verdict in ("WA", "AC"):
        Path(f"{verdict}.py").write_text(f"{verdict}\n")
        run("test", "901", f"{verdict}.py")
    run("test", "901", "WA.py", "--run")
    grading.calls.clear()


def judgements(tmp_path: Path) -> list[tuple[int, str, str | None]]:
    with (
        closing(Database(f"sqlite:///{tmp_path / 'data' / 'judge.sqlite3'}")) as database,
        database.read() as s,
    ):
        found = s.scalars(select(Judgement).order_by(Judgement.id)).all()
    return [(one.submission_id, one.status, one.verdict) for one in found]


def test_a_replay_judges_the_stored_source_with_the_stored_seed_and_stores_nothing(
    run: RunCli, grading: FakeGrading, tmp_path: Path
) -> None:
    Path("WA.py").write_text("changed since\n")
    told = run("replay", "1")
    assert told.status == 0
    assert "#901 tiny-add Add" in told.out and told.out.splitlines()[-1].startswith("Same: all 2 cases")
    assert grading.calls == [{"source": b"WA\n", "seed": "5eed", "mode": "submit"}]
    assert len(judgements(tmp_path)) == 3
    assert "相同" in run("--lang", "zh", "replay", "2").out


def test_a_run_is_replayed_as_a_run(run: RunCli, grading: FakeGrading) -> None:
    assert run("replay", "3").status == 0
    assert grading.calls[0]["mode"] == "run"


def test_each_other_verdict_is_named_and_the_status_is_1(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    flaky(monkeypatch, grading, b"RE\n")
    told = run("replay", "2")
    assert told.status == 1
    assert "✗ add-random: AC then, RE now" in told.out and "add-small" not in told.out
    assert told.out.splitlines()[-1] == "Different: 1 of 2 cases have a different verdict. AC then, RE now."
    assert "不同" in run("--lang", "zh", "replay", "2").out


def test_a_fault_of_ours_in_a_replay_is_status_3(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    flaky(monkeypatch, grading, b"SE\n")
    assert run("replay", "2").status == 3


def flaky(monkeypatch: pytest.MonkeyPatch, grading: FakeGrading, source: bytes) -> None:
    """From now on every source is judged as ``source`` would be."""

    def grade(problem: Any, _source: bytes, **more: Any) -> Any:
        return grading.grade(problem, source, **more)

    monkeypatch.setattr("judge.grading.grade.grade", grade)


def test_the_json_of_a_replay_has_both_verdicts_of_every_case(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    flaky(monkeypatch, grading, b"RE\n")
    told = run("replay", "2", "--json")
    one = json.loads(told.out)
    assert (told.status, one["same"], one["submission"], one["slug"], one["seed"]) == (
        1, False, 2, "tiny-add", "5eed",
    )  # fmt: skip
    assert one["problem_version"] == load_problem(TINY / "901-add").version
    assert one["cases"] == [
        {"name": "add-small", "stored": "AC", "replayed": "AC", "same": True},
        {"name": "add-random", "stored": "AC", "replayed": "RE", "same": False},
    ]
    assert (one["stored"]["verdict"], one["replayed"]["verdict"]) == ("AC", "RE")
    assert set(one["stored"]) >= {"limits", "backend", "protections", "versions"}
    monkeypatch.setenv("JUDGE_LEVEL", "diagnosis")
    assert json.loads(run("replay", "2", "--json").out)["seed"] is None


def test_other_versions_than_those_stored_are_named(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.grading.report.VERSION", "9.9.9")
    told = run("replay", "1")
    assert told.status == 0
    assert "judge: 0.1.0 then, 9.9.9 now" in told.out


@pytest.mark.parametrize(
    "argv",
    [
        ("replay",),
        ("replay", "x"),
        ("replay", "0"),
        ("replay", "99999999999999999999"),
        ("replay", "77"),
        ("rejudge",),
        ("rejudge", "77"),
        ("rejudge", "--problem", "no-such-problem"),
    ],
)
def test_a_submission_that_is_none_is_one_line_and_status_2(
    run: RunCli, grading: FakeGrading, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    english, chinese = run(*argv), run("--lang", "zh", *argv)
    for told in (english, chinese):
        assert (told.status, told.out) == (2, "")
        assert is_one_line(told.err)
    assert is_chinese(chinese.err) and not is_chinese(english.err)
    assert len(judgements(tmp_path)) == 3


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """Stands for pool and grader of the service: accepts everything but b"SE\\n"."""
    jobs: list[Job] = []

    def judge(job: Job, on_start: Callable[[int], None], on_case: Callable[[Report], None]) -> Result:
        jobs.append(job)
        if jobs and job.source == b"SE\n":
            return fault(job, "internal")
        report = {**fault(job, "").report, "verdict": "AC", "score": 100.0}
        report = {key: value for key, value in report.items() if key != "fault"}
        return Result(
            {**report, "cases": [make_case("add-small", "example", "AC")]}, load_problem(TINY / "901-add")
        )

    plain = Service.__init__
    monkeypatch.setattr(Service, "__init__", lambda self, config: plain(self, config, judge))
    return jobs


def test_a_rejudge_adds_a_judgement_with_the_stored_seed_that_counts(
    run: RunCli, judged: list[Job], tmp_path: Path
) -> None:
    told = run("rejudge", "1")
    assert (told.status, told.out) == (0, "submission 1, #901 tiny-add Add: WA 0 before, AC 100 now\n")
    assert [(job.source, job.seed) for job in judged] == [(b"WA\n", "5eed")]
    assert judgements(tmp_path)[-1] == (1, "done", "AC") and len(judgements(tmp_path)) == 4


def test_a_problem_is_rejudged_whole_without_its_runs(run: RunCli, judged: list[Job], tmp_path: Path) -> None:
    assert run("rejudge", "--problem", "tiny-add").status == 0
    assert sorted(job.submission_id for job in judged) == [1, 2]
    assert run("--lang", "zh", "rejudge", "--problem", "902").out == "没有需要重新评测的提交。\n"


def test_a_rejudge_that_ends_in_a_fault_of_ours_is_status_3(
    run: RunCli, grading: FakeGrading, judged: list[Job]
) -> None:
    Path("SE.py").write_text("SE\n")
    run("test", "901", "SE.py")
    assert run("rejudge", "4").status == 3


def test_beside_a_running_server_the_judgements_are_queued_for_it(
    run: RunCli, judged: list[Job], tmp_path: Path
) -> None:
    lock = DataLock(tmp_path / "data")
    lock.acquire("http://127.0.0.1:8000")
    try:
        told = run("rejudge", "1", "2", "1")
    finally:
        lock.release()
    assert told.status == 0 and "http://127.0.0.1:8000" in told.out
    assert judged == []
    assert judgements(tmp_path)[3:] == [(1, "queued", None), (2, "queued", None)]
