from __future__ import annotations

import copy
import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from judge import jobs, submissions
from judge.db import Database
from judge.grading.grade import Grader, grade
from judge.models import Judgement, User
from judge.problem import Problem, content_hash, load_problem
from judge.replay import IDENTITY, NotStored, compare, laid_out, load_stored
from judge.submissions import NoSubmission

BANK = Path(__file__).parent / "bank" / "tiny"
WRONG = (BANK / "901-add" / "mutants" / "subtracts.py").read_bytes()


@pytest.fixture
def database(tmp_path: Path) -> Database:
    opened = Database(f"sqlite:///{tmp_path / 'judge.sqlite3'}")
    opened.upgrade()
    with opened.write() as session:
        session.add(User(id=1, name="local", role="admin"))
    return opened


def make_report(verdict: str = "WA", seed: str = "5eed") -> dict[str, Any]:
    cases = [{"name": "add-small", "verdict": "AC"}, {"name": "add-random", "verdict": verdict}]
    return {"format": 1, "verdict": verdict, "score": 33.33, "seed": seed, "phases": {}, "cases": cases}


def keep(database: Database, problem: Problem, report: dict[str, Any] | None = None) -> int:
    return jobs.record_finished(database, 1, problem, WRONG, "submit", report or make_report())


def test_a_stored_judgement_keeps_the_reports_whole_identity_and_replays_the_same(
    database: Database, grader: Grader, counting: Problem
) -> None:
    source = (BANK / "902-counter" / "mutants").glob("*.py")
    wrong = sorted(source)[0].read_bytes()
    first = grade(counting, wrong, grader=grader).report()
    number = jobs.record_finished(database, 1, counting, wrong, "submit", first)
    stored = load_stored(database, number)
    assert {name: stored.report[name] for name in IDENTITY} == {name: first[name] for name in IDENTITY}
    assert all(stored.report[name] for name in IDENTITY)
    assert (stored.seed, stored.problem_version) == (first["seed"], counting.version)
    assert set(stored.report["versions"]) >= {"python", "torch", "pytest", "judge"}
    with laid_out(stored) as problem:
        assert problem.folder != counting.folder
        again = grade(problem, stored.source, grader=grader, seed=stored.seed, mode=stored.mode).report()
    assert compare(stored.report, again) and all(case.same for case in compare(stored.report, again))
    assert (again["verdict"], again["score"]) == (first["verdict"], first["score"])
    assert first["verdict"] != "AC"


def test_a_judgement_taken_up_by_a_server_keeps_the_identity_too(
    database: Database, adding: Problem, grader: Grader
) -> None:
    with database.write() as session:
        number = submissions.submit(session, 1, adding, WRONG, "submit").submission_id
    job = jobs.take_up(database, "me", 60)
    assert job is not None
    graded = grade(adding, job.source, grader=grader, seed=job.seed)
    assert jobs.record(database, job, graded.report(), graded.problem)
    stored = load_stored(database, number)
    assert {name: stored.report[name] for name in IDENTITY} == {
        name: graded.report()[name] for name in IDENTITY
    }
    assert stored.seed == job.seed == stored.report["seed"]


def test_the_problem_is_laid_out_as_it_was_judged_whatever_became_of_it(
    database: Database, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(BANK / "901-add", tmp_path / "901-add"))
    problem = load_problem(folder)
    number = keep(database, problem)
    shutil.rmtree(folder)
    stored = load_stored(database, number)
    with laid_out(stored) as laid:
        assert (laid.version, laid.files) == (problem.version, problem.files)
        assert laid.folder.is_dir()
    assert not laid.folder.exists()


def test_the_last_finished_judgement_is_the_one_replayed(database: Database, adding: Problem) -> None:
    number = keep(database, adding)
    with database.write() as session:
        submissions.rejudge(session, number)
    assert load_stored(database, number).report["verdict"] == "WA"
    job = jobs.take_up(database, "me", 60)
    assert job is not None
    jobs.record(database, job, make_report("AC", job.seed), adding)
    stored = load_stored(database, number)
    assert (stored.report["verdict"], stored.judgement_id) == ("AC", job.judgement_id)


def test_what_was_never_judged_cannot_be_replayed(database: Database, adding: Problem) -> None:
    with database.write() as session:
        waiting = submissions.submit(session, 1, adding, WRONG, "submit").submission_id
    with pytest.raises(NoSubmission) as unknown:
        load_stored(database, 99)
    with pytest.raises(NoSubmission) as unjudged:
        load_stored(database, waiting)
    assert (unknown.value.key, unjudged.value.key) == ("no-submission", "not-replayed")


def test_files_that_are_not_those_of_the_version_are_a_fault(database: Database, adding: Problem) -> None:
    number = keep(database, adding)
    with database.write() as session:
        session.execute(text("UPDATE stored_files SET content = CAST(content || x'0a' AS BLOB)"))
    with pytest.raises(NotStored) as refused, laid_out(load_stored(database, number)):
        pass
    assert refused.value.status == 3 and adding.version in refused.value.line("zh")


def test_a_stored_path_cannot_leave_the_folder(
    database: Database, adding: Problem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {**adding.files, "../out.py": b"x = 1"}
    stored = dataclasses.replace(
        load_stored(database, keep(database, adding)), files=files, problem_version=content_hash(files)
    )
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(NotStored), laid_out(stored):
        pass
    assert not (tmp_path / "out.py").exists()


def test_every_difference_is_found_cases_of_one_side_included() -> None:
    stored, replayed = make_report("WA"), copy.deepcopy(make_report("AC"))
    stored["cases"].append({"name": "gone", "verdict": "AC"})
    replayed["cases"].append({"name": "new", "verdict": "TLE"})
    found = {one.name: (one.stored, one.replayed, one.same) for one in compare(stored, replayed)}
    assert found == {
        "add-small": ("AC", "AC", True),
        "add-random": ("WA", "AC", False),
        "gone": ("AC", None, False),
        "new": (None, "TLE", False),
    }


def test_only_judged_submissions_to_the_problem_are_rejudged_by_problem(
    database: Database, adding: Problem, counting: Problem
) -> None:
    mine = [keep(database, adding), keep(database, adding)]
    keep(database, counting)
    jobs.record_finished(database, 1, adding, WRONG, "run", make_report())
    with database.write() as session:
        submissions.submit(session, 1, adding, WRONG, "submit")
    with database.read() as session:
        assert submissions.judged_ids(session, adding.slug) == mine
    with database.write() as session:
        assert submissions.rejudge(session, mine[0]).seed == session.get_one(Judgement, 1).seed
