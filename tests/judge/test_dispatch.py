from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from judge import jobs, submissions
from judge.db import Database, DatabaseError
from judge.dispatch import embedded
from judge.dispatch.base import JudgeJob, Report, Result
from judge.dispatch.embedded import EmbeddedDispatcher
from judge.dispatch.progress import Board
from judge.jobs import Job
from judge.models import Judgement
from judge.problem import Problem, load_problem
from judge.users import local_user
from tests.conftest import eventually

ADD = Path(__file__).parent / "bank" / "tiny" / "901-add"
PATIENCE_S = 20.0


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(ADD)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    opened = Database(f"sqlite:///{tmp_path / 'judge.sqlite3'}")
    opened.upgrade()
    return opened


Start = Callable[..., EmbeddedDispatcher]


@pytest.fixture
def start(database: Database) -> Iterator[Start]:
    started: list[EmbeddedDispatcher] = []

    def begin(judge: JudgeJob, **settings: Any) -> EmbeddedDispatcher:
        given = {"owner": "me", "workers": 2, "poll_s": 0.05, **settings}
        dispatcher = EmbeddedDispatcher(database, judge, **given)
        dispatcher.start()
        started.append(dispatcher)
        return dispatcher

    yield begin
    for dispatcher in started:
        dispatcher.close(PATIENCE_S)


class FakeJudge:
    """Accepts every submission after two cases; ``gate`` holds it between them."""

    def __init__(self, problem: Problem | None = None) -> None:
        self.problem = problem
        self.gate = threading.Event()
        self.gate.set()
        self.jobs: list[Job] = []
        self.running = self.most = 0
        self._lock = threading.Lock()

    def __call__(
        self, job: Job, on_start: Callable[[int], None], on_case: Callable[[Report], None]
    ) -> Result:
        with self._lock:
            self.jobs.append(job)
            self.running += 1
            self.most = max(self.most, self.running)
        on_start(2)
        on_case({"name": "first", "verdict": "AC"})
        assert self.gate.wait(PATIENCE_S)
        on_case({"name": "second", "verdict": "AC"})
        with self._lock:
            self.running -= 1
        return Result({"verdict": "AC", "score": 100.0, "phases": {}, "cases": []}, self.problem)


def send(database: Database, problem: Problem, source: bytes = b"x = 1") -> int:
    user_id = local_user(database)
    with database.write() as session:
        return submissions.submit(session, user_id, problem, source, "submit").submission_id


def last(database: Database, submission_id: int) -> Judgement:
    with database.read() as session:
        found = submissions.latest(session, submission_id)
    assert found is not None
    return found


def done(database: Database, submission_id: int, dispatcher: EmbeddedDispatcher) -> Judgement:
    assert dispatcher.board.wait(
        submission_id, lambda: last(database, submission_id).status == "done", PATIENCE_S
    )
    return last(database, submission_id)


def test_what_is_dispatched_is_judged_and_recorded(
    database: Database, problem: Problem, start: Start
) -> None:
    dispatcher = start(FakeJudge(problem))
    submission_id = send(database, problem)
    dispatcher.dispatch(submission_id)
    judgement = done(database, submission_id, dispatcher)
    assert (judgement.verdict, judgement.score, judgement.attempt) == ("AC", 100.0, 1)


def test_what_waited_before_the_start_is_taken_up_without_being_dispatched(
    database: Database, problem: Problem, start: Start
) -> None:
    waiting = send(database, problem)
    held_by_the_dead = send(database, problem)
    jobs.take_up(database, "me", 3600)
    dispatcher = start(FakeJudge(problem))
    assert done(database, waiting, dispatcher).attempt == 2
    assert done(database, held_by_the_dead, dispatcher).attempt == 1


def test_no_more_run_at_a_time_than_there_are_workers(
    database: Database, problem: Problem, start: Start
) -> None:
    judge = FakeJudge(problem)
    judge.gate.clear()
    sent = [send(database, problem) for _ in range(5)]
    dispatcher = start(judge, workers=2)
    assert eventually(lambda: len(judge.jobs) == 2)
    judge.gate.set()
    assert [done(database, one, dispatcher).verdict for one in sent] == ["AC"] * 5
    assert judge.most == 2
    assert sorted(job.submission_id for job in judge.jobs) == sent


def test_a_judge_that_raises_is_a_fault_of_ours_and_the_next_is_judged(
    database: Database, problem: Problem, start: Start
) -> None:
    good = FakeJudge(problem)

    def judge(job: Job, on_start: Callable[[int], None], on_case: Callable[[Report], None]) -> Result:
        if job.source == b"bad":
            raise RuntimeError("broken grader")
        return good(job, on_start, on_case)

    dispatcher = start(judge, workers=1)
    bad, fine = send(database, problem, b"bad"), send(database, problem)
    dispatcher.dispatch(bad)
    assert (done(database, bad, dispatcher).verdict, last(database, bad).score) == ("SE", None)
    assert done(database, fine, dispatcher).verdict == "AC"


def test_a_report_that_cannot_be_stored_is_a_fault_of_ours(
    database: Database, problem: Problem, start: Start
) -> None:
    dispatcher = start(lambda job, on_start, on_case: Result({"score": object()}, problem))
    submission_id = send(database, problem)
    dispatcher.dispatch(submission_id)
    assert done(database, submission_id, dispatcher).verdict == "SE"


def test_a_judgement_that_ends_every_server_is_given_up(
    database: Database, problem: Problem, start: Start
) -> None:
    submission_id = send(database, problem)
    for _ in range(embedded.ATTEMPTS_MAX):
        jobs.take_up(database, "me", 0)
        time.sleep(0.002)
    judge = FakeJudge(problem)
    assert done(database, submission_id, start(judge)).verdict == "SE"
    assert judge.jobs == []


def test_a_long_judgement_keeps_its_lease(database: Database, problem: Problem, start: Start) -> None:
    judge = FakeJudge(problem)
    judge.gate.clear()
    submission_id = send(database, problem)
    dispatcher = start(judge, lease_s=0.6)
    assert eventually(lambda: len(judge.jobs) == 1)
    first = last(database, submission_id).lease_until
    assert first is not None
    assert eventually(lambda: (last(database, submission_id).lease_until or first) > first)
    judge.gate.set()
    assert done(database, submission_id, dispatcher).attempt == 1
    assert len(judge.jobs) == 1


def test_closing_puts_a_running_judgement_back_and_drops_its_late_result(
    database: Database, problem: Problem, start: Start
) -> None:
    judge = FakeJudge(problem)
    judge.gate.clear()
    submission_id = send(database, problem)
    dispatcher = start(judge)
    assert eventually(lambda: len(judge.jobs) == 1)
    dispatcher.close(grace_s=0.0)
    assert last(database, submission_id).status == "queued"
    judge.gate.set()
    assert eventually(lambda: dispatcher.board.get(submission_id) is None)
    assert last(database, submission_id).status == "queued"


@pytest.mark.parametrize(
    "error", [DatabaseError("database", place="x", why="disk full"), RuntimeError("a fault of ours")], ids=str
)
def test_a_database_that_fails_for_a_while_does_not_end_the_workers(
    database: Database, problem: Problem, start: Start, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    broken = threading.Event()
    broken.set()
    tries: list[int] = []
    take_up = jobs.take_up

    def flaky(*args: Any) -> Job | None:
        tries.append(1)
        if broken.is_set():
            raise error
        return take_up(*args)

    monkeypatch.setattr(embedded, "take_up", flaky)
    dispatcher = start(FakeJudge(problem))
    submission_id = send(database, problem)
    assert eventually(lambda: len(tries) >= 3)
    broken.clear()
    assert done(database, submission_id, dispatcher).verdict == "AC"


def test_cases_show_while_they_come_and_each_changes_the_version(
    database: Database, problem: Problem, start: Start
) -> None:
    judge = FakeJudge(problem)
    judge.gate.clear()
    submission_id = send(database, problem)
    board = start(judge).board
    assert eventually(lambda: bool(board.get(submission_id) and board.get(submission_id).cases))  # type: ignore[union-attr]
    running = board.get(submission_id)
    assert running is not None
    assert (running.cases_total, [case["name"] for case in running.cases]) == (2, ["first"])
    stored = last(database, submission_id).version
    assert running.version == stored + 2
    judge.gate.set()
    assert eventually(lambda: last(database, submission_id).version > running.version + 1)


def job(attempt: int = 1) -> Job:
    return Job(1, attempt, 7, "s", "submit", b"", "5eed", 10_000, 0.0)


def test_a_waiter_wakes_when_something_changes_and_not_before() -> None:
    board = Board()
    board.begin(job())
    woken: list[bool] = []
    waiter = threading.Thread(
        target=lambda: woken.append(board.wait(7, lambda: board.get(7) is None, PATIENCE_S))
    )
    waiter.start()
    board.case(job(), {"name": "a"})
    board.touch(8)
    assert woken == []
    board.end(job())
    waiter.join(PATIENCE_S)
    assert woken == [True]


def test_waiting_ends_when_time_is_up() -> None:
    assert not Board().wait(7, lambda: False, 0.01)


def test_the_pace_is_that_of_the_last_minute() -> None:
    now = [0.0]
    board = Board(lambda: now[0])

    def end(at: float) -> float | None:
        now[0] = at
        board.begin(job())
        board.end(job())
        return board.seconds_each()

    assert [end(0), end(1000)] == [None, None]
    assert [end(1002), end(1004)] == [None, pytest.approx(4 / 3)]
    now[0] = 1030  # nothing ends any more
    assert board.seconds_each() == 10
    now[0] = 1063
    assert board.seconds_each() is None


def test_an_earlier_attempt_says_nothing_on_the_board() -> None:
    board = Board()
    board.begin(job(attempt=2))
    board.case(job(attempt=1), {"name": "late"})
    board.end(job(attempt=1))
    running = board.get(7)
    assert running is not None and running.cases == ()
