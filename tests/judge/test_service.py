from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from judge.config import Config
from judge.dispatch.base import Report, Result
from judge.jobs import Job
from judge.lines import UserError
from judge.lock import DataInUse
from judge.problem import Problem, load_problem
from judge.service import Service
from judge.startup import NoBoundary, Unsafe
from judge.submissions import NoSubmission
from judge.verdict import Verdict
from sandbox.canary import Finding

TINY = Path(__file__).parent / "bank" / "tiny"
PATIENCE_S = 20.0
SECRET = "a-hidden-input-value"


def make_config(data: Path, **more: str) -> Config:
    environ = {"JUDGE_DATA": str(data), "JUDGE_PROBLEMS": str(TINY), "JUDGE_WORKERS": "2", **more}
    return Config.from_env(environ)


def make_case(name: str, group: str, verdict: str) -> Report:
    return {
        "name": name,
        "group": group,
        "part": "add",
        "verdict": verdict,
        "points": 0,
        "max_points": 1,
        "mistake": None,
        "time_s": 0.0123,
        "memory_mib": 3.0,
        "ran": True,
        "facts": {"kind": "raised", "builtin": "ValueError", "lines": [3]} if verdict == "RE" else {},
        "detail": {"name": "ValueError", "message": SECRET, "stdout": SECRET},
    }


CASES = [make_case("example", "example", "AC"), make_case("hidden", "hidden", "RE")]


class FakeJudge:
    """Gives the verdict that the source names; ``gate`` holds it after the first case."""

    def __init__(self) -> None:
        self.problem = load_problem(TINY / "901-add")
        self.gate = threading.Event()
        self.gate.set()

    def __call__(
        self, job: Job, on_start: Callable[[int], None], on_case: Callable[[Report], None]
    ) -> Result:
        on_start(len(CASES))
        on_case(CASES[0])
        assert self.gate.wait(PATIENCE_S)
        on_case(CASES[1])
        verdict = job.source.decode()
        report = {
            "format": 1,
            "verdict": verdict,
            "score": 50.0,
            "seed": job.seed,
            "limits": {},
            "backend": "fake",
            "phases": {"queued_s": 0.0, "cell_s": 0.5},
            "load": None,
            "cases": CASES,
        }
        return Result(report, self.problem)


@pytest.fixture
def judge() -> FakeJudge:
    return FakeJudge()


@pytest.fixture
def service(tmp_path: Path, judge: FakeJudge) -> Iterator[Service]:
    started = Service(make_config(tmp_path), judge)
    started.start()
    yield started
    judge.gate.set()
    started.close()


@pytest.fixture
def problem(service: Service) -> Problem:
    return service.catalogue.find("901")


def judged(service: Service, problem: Problem, verdict: str, mode: Any = "submit") -> int:
    submission_id = service.submit(problem, verdict.encode(), mode)
    assert service.wait(submission_id, PATIENCE_S)
    return submission_id


def seen(service: Service, submission_id: int, lang: str = "zh") -> dict[str, Any]:
    view = service.view(submission_id, lang)
    assert view is not None
    return view


def test_a_submission_is_seen_from_the_queue_to_its_verdict(
    service: Service, problem: Problem, judge: FakeJudge
) -> None:
    judge.gate.clear()
    running = [service.submit(problem, b"RE") for _ in range(2)]
    waiting = service.submit(problem, b"RE")
    deadline = time.monotonic() + PATIENCE_S
    while not all(seen(service, one)["cases"] for one in running) and time.monotonic() < deadline:
        time.sleep(0.01)
    view = seen(service, running[0])
    assert (view["status"], view["verdict"], view["cases_total"], len(view["cases"])) == (
        "running",
        None,
        2,
        1,
    )
    queued = seen(service, waiting)
    assert (queued["status"], queued["queue_position"], queued["cases"]) == ("queued", 1, [])
    judge.gate.set()
    assert service.wait(waiting, PATIENCE_S) and service.wait(running[0], PATIENCE_S)
    view = seen(service, running[0], "en")
    assert (view["status"], view["verdict"], view["score"], view["source"]) == ("done", "RE", 50.0, "RE")
    assert [case["verdict"] for case in view["cases"]] == ["AC", "RE"]
    assert view["phases"]["queued_s"] > 0 and view["phases"]["cell_s"] == 0.5
    json.dumps(view, allow_nan=False)


def test_the_view_speaks_the_readers_language(service: Service, problem: Problem) -> None:
    submission_id = judged(service, problem, "RE")
    zh, en = seen(service, submission_id, "zh"), seen(service, submission_id, "en")
    assert (zh["title"], en["title"]) == (problem.title["zh"], problem.title["en"])
    assert zh["verdict_word"] != en["verdict_word"]
    assert zh["cases"][1]["message"] != en["cases"][1]["message"]
    assert (zh["id"], zh["version"], zh["score"]) == (en["id"], en["version"], en["score"])


def test_waiting_ends_with_every_change_and_the_version_differs_each_time(
    service: Service, problem: Problem, judge: FakeJudge
) -> None:
    judge.gate.clear()
    submission_id = service.submit(problem, b"RE")
    view = seen(service, submission_id)
    versions = [view["version"]]
    while not view["cases"]:
        assert service.wait(submission_id, PATIENCE_S, view["version"])
        view = seen(service, submission_id)
        versions.append(view["version"])
    assert not service.wait(submission_id, 0.05, versions[-1])
    judge.gate.set()
    assert service.wait(submission_id, PATIENCE_S, versions[-1])
    assert service.wait(submission_id, PATIENCE_S)
    versions.append(seen(service, submission_id)["version"])
    assert versions == sorted(set(versions))


def test_below_level_full_nothing_of_a_hidden_input_is_shown_while_running_or_done(
    tmp_path: Path, judge: FakeJudge
) -> None:
    service = Service(make_config(tmp_path / "strict", JUDGE_LEVEL="diagnosis"), judge)
    service.start()
    try:
        judge.gate.clear()
        submission_id = service.submit(service.catalogue.find("901"), b"RE")
        while not (running := seen(service, submission_id))["cases"]:
            service.wait(submission_id, PATIENCE_S, running["version"])
        judge.gate.set()
        service.wait(submission_id, PATIENCE_S)
        done = seen(service, submission_id)
        assert SECRET in json.dumps(done["cases"][0])
        assert SECRET not in json.dumps(done["cases"][1])
        assert done["seed"] is None
        assert done["cases"][1]["time_s"] == 0.02
    finally:
        judge.gate.set()
        service.close()


def standings(service: Service, problem: Problem) -> list[tuple[str, float | None]]:
    return [(row.status, row.best_score) for row in service.overview() if row.problem.slug == problem.slug]


def test_history_is_newest_first_with_runs_and_only_submits_solve(service: Service, problem: Problem) -> None:
    assert standings(service, problem) == [("new", None)]
    run = judged(service, problem, "AC", "run")
    assert standings(service, problem) == [("tried", None)]
    tried = judged(service, problem, "WA")
    assert standings(service, problem) == [("tried", 50.0)]
    solved = judged(service, problem, "AC")
    assert standings(service, problem) == [("solved", 50.0)]
    history = service.history(problem, "zh", 10)
    assert [(one["id"], one["mode"], one["verdict"]) for one in history] == [
        (solved, "submit", "AC"),
        (tried, "submit", "WA"),
        (run, "run", "AC"),
    ]
    assert "source" not in history[0]
    assert len(service.history(problem, "zh", 2)) == 2


def test_a_fault_of_ours_says_so_and_is_judged_again_on_request(
    service: Service, problem: Problem, judge: FakeJudge
) -> None:
    submission_id = service.submit(problem, b"\xff")  # not to be decoded: the fake judge raises
    assert service.wait(submission_id, PATIENCE_S)
    view = seen(service, submission_id)
    assert (view["verdict"], view["score"], view["cases"]) == ("SE", None, [])
    assert "故障" in view["message"]
    service.retry(submission_id)
    assert service.wait(submission_id, PATIENCE_S)
    assert seen(service, submission_id)["version"] > view["version"]
    with pytest.raises(NoSubmission):
        service.retry(judged(service, problem, "WA"))


def test_an_unknown_submission_has_no_view(service: Service) -> None:
    assert service.view(12345, "zh") is None
    assert service.wait(12345, 0.01)


def test_a_submission_outlives_its_problem(tmp_path: Path, judge: FakeJudge) -> None:
    with_problem = Service(make_config(tmp_path), judge)
    with_problem.start()
    submission_id = judged(with_problem, with_problem.catalogue.find("901"), "WA")
    with_problem.close()
    without = Service(make_config(tmp_path, JUDGE_PROBLEMS=""), judge)
    without.start()
    view = seen(without, submission_id)
    without.close()
    assert (view["title"], view["verdict"], len(view["cases"])) == ("tiny-add", "WA", 2)


def test_a_full_queue_refuses_and_stores_nothing(
    service: Service, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.service.WAITING_MAX", 0)
    with pytest.raises(UserError, match="waiting"):
        service.submit(problem, b"AC")
    assert service.history(problem, "zh", 10) == []


def test_a_second_server_on_the_same_data_is_told_where_the_first_is(
    service: Service, tmp_path: Path, judge: FakeJudge
) -> None:
    with pytest.raises(DataInUse) as refused:
        Service(make_config(tmp_path), judge).start()
    line = refused.value.line("en")
    assert str(os.getpid()) in line and service.config.address in line and "JUDGE_DATA" in line


def test_a_closed_server_gives_the_folder_back(tmp_path: Path, judge: FakeJudge) -> None:
    for _ in range(2):
        service = Service(make_config(tmp_path), judge)
        service.start()
        service.close()


def test_a_sandbox_that_does_not_hold_stops_the_start_and_gives_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: FakeJudge
) -> None:
    closed: list[str] = []

    @contextmanager
    def open_grader(*_: object, **__: object) -> Iterator[tuple[Any, None]]:
        try:
            yield SimpleNamespace(backend="landlock", protections={}, size=1), None
        finally:
            closed.append("pool")

    monkeypatch.setattr("judge.startup.open_grader", open_grader)
    monkeypatch.setattr("sandbox.canary.run_canary", lambda pool: [Finding("open a socket", "worked")])
    with pytest.raises(Unsafe) as refused:
        Service(make_config(tmp_path)).start()
    assert "open a socket" in refused.value.line("zh") and refused.value.status == 3
    assert "open a socket" in str(refused.value)
    assert closed == ["pool"]
    after = Service(make_config(tmp_path), judge)
    after.start()
    after.close()


@pytest.mark.parametrize(("host", "why"), [("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "")])
def test_a_sandbox_without_a_boundary_serves_one_user_on_this_machine_alone(
    host: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def open_grader(*_: object, **__: object) -> Iterator[tuple[Any, None]]:
        yield SimpleNamespace(backend="process", protections={"boundary": "none"}, size=1), None

    monkeypatch.setattr("judge.startup.open_grader", open_grader)
    service = Service(replace(make_config(tmp_path), host=host))
    if why:
        with pytest.raises(NoBoundary) as refused:
            service.start()
        assert why in refused.value.line("zh") and why in refused.value.line("en")
    else:
        service.start()
        assert service.backend == "process"
    service.close()


SERVER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import test_service as given
judge = given.FakeJudge()
if sys.argv[3] == "hold":
    judge.gate.clear()
service = given.Service(given.make_config(Path(sys.argv[1])), judge)
service.start()
problem = service.catalogue.find("901")
if sys.argv[3] == "hold":
    submission_id = service.submit(problem, b"WA")
    while not service.view(submission_id, "zh")["cases"]:
        time.sleep(0.01)
    print(submission_id, flush=True)
    time.sleep(60)
"""


def test_a_server_killed_while_judging_gives_the_verdict_once_after_its_restart(
    tmp_path: Path, judge: FakeJudge
) -> None:
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", SERVER, str(tmp_path), here, "hold"]
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": root}
    ) as first:
        assert first.stdout is not None
        submission_id = int(first.stdout.readline())
        first.send_signal(signal.SIGKILL)
        first.wait(PATIENCE_S)
    service = Service(make_config(tmp_path), judge)
    service.start()
    try:
        assert service.wait(submission_id, PATIENCE_S)
        view = seen(service, submission_id)
        history = service.history(service.catalogue.find("901"), "zh", 10)
    finally:
        service.close()
    assert (view["verdict"], view["source"]) == ("WA", "WA")
    assert [one["id"] for one in history] == [submission_id]


def test_what_went_wrong_in_the_cases_is_kept_with_a_fault_and_cut(
    service: Service, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded = SimpleNamespace(
        faults=["first", "x" * 5000, "last"],
        verdict=Verdict.SE,
        problem=problem,
        report=lambda: {"verdict": "SE"},
    )
    monkeypatch.setattr(service, "_grading", SimpleNamespace(grade=lambda *_, **__: graded), raising=False)
    monkeypatch.setattr(service, "_find", lambda slug: problem)
    job: Any = SimpleNamespace(submission_id=1, slug=problem.slug, source=b"", seed="s", mode="submit")
    result = service._grade(job, lambda count: None, lambda case: None)
    assert result.report == {"verdict": "SE", "faults": ["x" * 2000, "last"]}
    graded.verdict = Verdict.WA
    assert service._grade(job, lambda count: None, lambda case: None).report == {"verdict": "SE"}
