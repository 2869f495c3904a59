from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judge import jobs, queued, submissions
from judge.db import Database
from judge.jobs import Job
from judge.models import Judgement, Mistake, ProblemVersion, StoredFile
from judge.problem import Problem, load_problem
from judge.replay import load_stored
from judge.scores import Standing, standings
from judge.submissions import NoSubmission
from judge.users import local_user
from judge.versions import load_files
from judge.views import history

ADD = Path(__file__).parent / "bank" / "tiny" / "901-add"


@pytest.fixture(scope="session")
def problem() -> Problem:
    return load_problem(ADD)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    opened = Database(f"sqlite:///{tmp_path / 'judge.sqlite3'}")
    opened.upgrade()
    return opened


def send(
    database: Database, problem: Problem, source: bytes = b"x = 1", mode: submissions.Mode = "submit"
) -> int:
    user_id = local_user(database)
    with database.write() as session:
        return submissions.submit(session, user_id, problem, source, mode).submission_id


def taken(database: Database, owner: str = "me", lease_s: float = 60) -> Job:
    job = jobs.take_up(database, owner, lease_s)
    assert job is not None
    return job


def report(verdict: str = "AC", score: float = 100.0, **more: Any) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "score": score,
        "seed": "5eed",
        "phases": {"cell_s": 0.1},
        "cases": [],
        **more,
    }


def last(database: Database, submission_id: int) -> Judgement:
    with database.read() as session:
        found = submissions.latest(session, submission_id)
    assert found is not None
    return found


def finish(
    database: Database, problem: Problem, verdict: str, score: float, mode: submissions.Mode = "submit"
) -> int:
    submission_id = send(database, problem, mode=mode)
    assert jobs.record(database, taken(database), report(verdict, score), problem)
    return submission_id


def test_a_submission_waits_with_a_secret_seed_of_its_own(database: Database, problem: Problem) -> None:
    first, second = last(database, send(database, problem)), last(database, send(database, problem))
    assert (first.status, first.attempt, first.verdict) == ("queued", 0, None)
    assert len(first.seed) == 32 and first.seed != second.seed


def test_jobs_are_taken_up_in_order_and_each_by_one(database: Database, problem: Problem) -> None:
    sent = [send(database, problem, b"%d" % n) for n in range(3)]
    got = [taken(database) for _ in sent]
    assert [job.submission_id for job in got] == sent
    assert [job.source for job in got] == [b"0", b"1", b"2"]
    assert jobs.take_up(database, "me", 60) is None


def test_a_recorded_job_holds_report_verdict_and_version(database: Database, problem: Problem) -> None:
    submission_id = finish(database, problem, "WA", 62.5)
    judgement = last(database, submission_id)
    assert (judgement.status, judgement.verdict, judgement.score) == ("done", "WA", 62.5)
    assert judgement.problem_version == problem.version
    stored = json.loads(judgement.report or "")
    assert stored["phases"]["cell_s"] == 0.1
    assert stored["phases"]["queued_s"] >= 0 and stored["phases"]["record_s"] >= 0


def test_a_job_recorded_twice_counts_once(database: Database, problem: Problem) -> None:
    submission_id = send(database, problem)
    job = taken(database)
    assert jobs.record(database, job, report("AC"), problem)
    assert not jobs.record(database, job, report("WA", 0), problem)
    assert last(database, submission_id).verdict == "AC"


def test_a_job_whose_lease_ran_out_is_taken_up_again_and_its_late_result_is_dropped(
    database: Database, problem: Problem
) -> None:
    submission_id = send(database, problem)
    slow = taken(database, "slow", lease_s=0)
    time.sleep(0.01)
    quick = taken(database, "quick")
    assert (quick.judgement_id, quick.attempt) == (slow.judgement_id, slow.attempt + 1)
    assert not jobs.record(database, slow, report("WA", 0), problem)
    assert jobs.record(database, quick, report("AC"), problem)
    assert last(database, submission_id).verdict == "AC"


def test_a_renewed_lease_keeps_others_away(database: Database, problem: Problem) -> None:
    send(database, problem)
    job = taken(database, lease_s=0)
    jobs.renew(database, [job], 60)
    assert jobs.take_up(database, "other", 60) is None


def test_what_a_dead_owner_held_is_queued_again_and_nothing_else(
    database: Database, problem: Problem
) -> None:
    mine, other = send(database, problem), send(database, problem)
    taken(database, "dead"), taken(database, "alive")
    assert jobs.requeue(database, "dead") == 1
    assert (last(database, mine).status, last(database, other).status) == ("queued", "running")


def test_a_job_given_back_is_not_recorded_by_the_one_who_gave_it_back(
    database: Database, problem: Problem
) -> None:
    submission_id = send(database, problem)
    job = taken(database)
    jobs.give_back(database, [job])
    assert not jobs.record(database, job, report(), problem)
    assert last(database, submission_id).status == "queued"


def test_every_stored_change_has_a_version_of_its_own(database: Database, problem: Problem) -> None:
    submission_id = send(database, problem)
    seen = [last(database, submission_id).version]
    job = taken(database)
    seen.append(last(database, submission_id).version)
    jobs.record(database, job, report("SE", 0), problem)
    seen.append(last(database, submission_id).version)
    with database.write() as session:
        submissions.retry(session, submission_id)
    seen.append(last(database, submission_id).version)
    assert seen == sorted(set(seen))


@pytest.mark.parametrize(
    "source", [b"", b"\x00\x00", b"\xff\xfe broken", "代码 \ud800".encode("utf-8", "surrogatepass")]
)
def test_any_bytes_are_kept_as_they_came(database: Database, problem: Problem, source: bytes) -> None:
    assert last(database, send(database, problem, source)).submission.source == source


def test_no_text_of_a_learner_upsets_the_storage(database: Database, problem: Problem) -> None:
    submission_id = send(database, problem)
    hostile = {"got": "a\x00b\ud800c", "nan": float("nan"), "many": [float("inf"), "'; DROP TABLE users"]}
    assert jobs.record(database, taken(database), report("WA", 0, detail=hostile), problem)
    stored = last(database, submission_id).report or ""
    assert stored.isascii() and "\x00" not in stored
    assert json.loads(stored)["detail"] == {
        "got": "a\ufffdb\ufffdc",
        "nan": "nan",
        "many": ["inf", "'; DROP TABLE users"],
    }


def test_a_version_of_a_problem_is_kept_once_and_comes_back_whole(
    database: Database, problem: Problem
) -> None:
    for _ in range(2):
        finish(database, problem, "AC", 100)
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(ProblemVersion)) == 1
        assert load_files(session, problem.version) == dict(problem.files)
        assert session.scalar(select(func.count()).select_from(StoredFile)) == len(
            set(problem.files.values())
        )
    with database.read() as session, pytest.raises(KeyError):
        load_files(session, "never stored")


def test_a_fault_of_the_judge_can_be_retried_with_a_new_seed(database: Database, problem: Problem) -> None:
    submission_id = finish(database, problem, "SE", 0)
    before = last(database, submission_id)
    with database.write() as session:
        submissions.retry(session, submission_id)
    after = last(database, submission_id)
    assert before.score is None
    assert (after.status, after.id > before.id) == ("queued", True)
    assert after.seed != before.seed


def test_only_a_fault_of_the_judge_can_be_retried(database: Database, problem: Problem) -> None:
    submission_id = finish(database, problem, "WA", 0)
    with pytest.raises(NoSubmission), database.write() as session:
        submissions.retry(session, submission_id)
    with pytest.raises(NoSubmission), database.write() as session:
        submissions.retry(session, 999)


def test_a_rejudge_uses_the_seed_again_and_replaces_the_verdict(database: Database, problem: Problem) -> None:
    submission_id = finish(database, problem, "WA", 40)
    seed = last(database, submission_id).seed
    with database.write() as session:
        submissions.rejudge(session, submission_id)
        submissions.rejudge(session, submission_id)  # waits already: nothing is added
    job = taken(database)
    assert job.seed == seed
    jobs.record(database, job, report("AC"), problem)
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Judgement)) == 2
        assert standings(session, local_user(database)) == {problem.slug: Standing(True, 100.0, 1)}


def place(session: Session, judgement: Judgement) -> int:
    return queued.position(session, judgement.id, judgement.status, judgement.rejudge)


def test_a_rejudge_waits_behind_what_learners_send(database: Database, problem: Problem) -> None:
    old = finish(database, problem, "WA", 40)
    with database.write() as session:
        rejudged = submissions.rejudge(session, old)
        assert (rejudged.rejudge, queued.count(session)) == (True, 0)
    new = send(database, problem)
    with database.read() as session:
        assert queued.count(session) == 1
        assert place(session, last(database, old)) == 2
        assert place(session, last(database, new)) == 1
    assert [taken(database).submission_id for _ in range(2)] == [new, old]


def test_a_place_far_behind_is_told_roughly_and_both_ways_alike(database: Database, problem: Problem) -> None:
    rejudged = finish(database, problem, "WA", 40)
    sent = [send(database, problem) for _ in range(205)]
    with database.write() as session:
        submissions.rejudge(session, rejudged)
    with database.read() as session:
        places = [place(session, last(database, one)) for one in [*sent, rejudged]]
        assert places[:31] == [*range(1, 11), *[11] * 10, *[21] * 10, 31]
        assert set(places[31:101]) == {31, 41, 51, 61, 71, 81, 91, 101} and set(places[101:]) == {
            101,
            151,
            201,
        }
        far = queued.far_behind(session)
        ids = [last(database, one).id for one in [*sent, rejudged]]
        assert far == dict(zip(ids[10:], places[10:], strict=True))


def test_a_score_stays_while_a_rejudge_waits_and_after_a_fault(database: Database, problem: Problem) -> None:
    number = finish(database, problem, "AC", 100)
    user_id, solved = local_user(database), {problem.slug: Standing(True, 100.0, 1)}
    with database.write() as session:
        submissions.rejudge(session, number)
        assert standings(session, user_id) == solved
        assert newest_shown(session, number) == ("queued", [None])
    jobs.record(database, taken(database), report("SE", 0), problem)
    with database.read() as session:
        assert standings(session, user_id) == solved
        assert newest_shown(session, number) == ("done", ["AC"])
        newest, stage = submissions.newest(session, number), submissions.stage(database, number)
    assert newest is not None and newest.verdict == "SE" and stage is not None and stage.status == "done"
    assert load_stored(database, number).report["verdict"] == "AC"
    with pytest.raises(NoSubmission), database.write() as session:  # a learner has nothing to try again
        submissions.retry(session, number)
    with database.write() as session:
        assert submissions.rejudge(session, number).version > newest.version


def newest_shown(session: Session, number: int) -> tuple[str, list[str | None]]:
    """The status of the judgement shown, and the verdicts in the history."""
    shown = submissions.latest(session, number)
    assert shown is not None
    past = history(session, shown.submission.user_id, shown.submission.slug, "en", 10)
    return shown.status, [one["verdict"] for one in past]


def test_named_mistakes_are_kept_once_beside_the_report(database: Database, problem: Problem) -> None:
    send(database, problem)
    cases = [{"mistake": "a"}, {"mistake": None}, {"mistake": "b"}, {"mistake": "a"}]
    job = taken(database)
    assert jobs.record(database, job, report("WA", 0, cases=cases), problem)
    assert not jobs.record(database, job, report("WA", 0, cases=[{"mistake": "c"}]), problem)
    with database.read() as session:
        assert session.scalars(select(Mistake.key).order_by(Mistake.key)).all() == ["a", "b"]


def test_only_judged_submissions_count_for_the_score(database: Database, problem: Problem) -> None:
    user_id = local_user(database)
    finish(database, problem, "AC", 100, mode="run")
    finish(database, problem, "SE", 0)
    with database.read() as session:
        assert standings(session, user_id) == {}
    finish(database, problem, "WA", 30)
    finish(database, problem, "TLE", 50)
    send(database, problem)
    with database.read() as session:
        assert standings(session, user_id) == {problem.slug: Standing(False, 50.0, 2)}


def test_one_learner_does_not_count_for_another(database: Database, problem: Problem) -> None:
    finish(database, problem, "AC", 100)
    with database.read() as session:
        assert standings(session, local_user(database) + 1) == {}


def test_a_judgement_of_the_command_line_is_stored_finished(database: Database, problem: Problem) -> None:
    user_id = local_user(database)
    submission_id = jobs.record_finished(database, user_id, problem, b"y", "submit", report("AC"))
    judgement = last(database, submission_id)
    assert (judgement.status, judgement.verdict, judgement.seed) == ("done", "AC", "5eed")
    assert jobs.take_up(database, "me", 60) is None


def test_the_local_user_is_one_row(database: Database) -> None:
    assert local_user(database) == local_user(database)
