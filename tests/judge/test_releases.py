"""Every release's database opens with this program: tests/data/databases/make.py says how one is made."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from judge import VERSION, db
from judge.config import Config
from judge.db import Database
from judge.dispatch.base import Report, Result
from judge.jobs import Job
from judge.problem import load_problem
from judge.replay import compare, laid_out, load_stored
from judge.service import Service

TINY = Path(__file__).parent / "bank" / "tiny"
KEPT = Path(__file__).parents[1] / "data" / "databases"
RELEASES = sorted(KEPT.glob("*.sqlite3"))
VERDICTS = {1: "AC", 2: "WA", 3: "RE", 4: "CE", 5: "AC", 6: None}


def stored_revision(path: Path) -> str:
    with closing(sqlite3.connect(path)) as opened:
        return str(opened.execute("SELECT version_num FROM alembic_version").fetchone()[0])


@pytest.fixture(params=RELEASES, ids=lambda path: path.stem)
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A data folder as that release left it."""
    shutil.copyfile(request.param, tmp_path / "judge.sqlite3")
    return tmp_path


def accept(job: Job, on_start: Callable[[int], None], on_case: Callable[[Report], None]) -> Result:
    report: dict[str, Any] = {"format": 1, "verdict": "AC", "score": 100.0, "cases": [], "phases": {}}
    return Result(
        {**report, "limits": {}, "backend": "", "load": None, "seed": job.seed},
        load_problem(TINY / "901-add"),
    )


def test_this_release_keeps_a_database_too() -> None:
    assert VERSION in [path.stem for path in RELEASES]
    assert all(path.stat().st_size < 200 << 10 for path in RELEASES)


def test_it_is_migrated_backed_up_first_and_every_submission_can_be_read(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = stored_revision(data / "judge.sqlite3")
    started = threading.Event()

    def hold(job: Job, on_start: Callable[[int], None], on_case: Callable[[Report], None]) -> Result:
        started.wait(30)
        return accept(job, on_start, on_case)

    service = Service(Config.from_env({"JUDGE_DATA": str(data), "JUDGE_PROBLEMS": str(TINY)}), hold)
    service.start()
    try:
        assert service.database.revision() == db.REVISION
        views = {number: service.view(number, "en") for number in VERDICTS}
        assert {number: view and view["verdict"] for number, view in views.items()} == VERDICTS
        assert all(view and view["title"] == "Add" and view["source"] for view in views.values())
        wrong = views[2]
        assert wrong is not None and wrong["cases"][0]["advice"].startswith("You subtracted")
        assert wrong["seed"] and wrong["versions"]["judge"] == "0.1.0"
        started.set()
        assert service.wait(6, 30)  # what waited at the old program is judged by this one
        waited = service.view(6, "en")
        assert waited is not None and waited["verdict"] == "AC"
        assert {row.problem.slug: row.status for row in service.overview()}["tiny-add"] == "solved"
    finally:
        started.set()
        service.close()
    saved = list(data.glob("backups/*"))
    assert [stored_revision(path) for path in saved] == ([] if before == db.REVISION else [before])


def test_the_program_after_this_one_would_migrate_it_with_a_backup(
    data: Path, next_release: Callable[..., str]
) -> None:
    before = stored_revision(data / "judge.sqlite3")
    after = next_release()
    database = Database(f"sqlite:///{data / 'judge.sqlite3'}")
    saved = database.upgrade()
    assert (database.revision(), saved and stored_revision(saved)) == (after, before)
    assert load_stored(database, 2).report["verdict"] == "WA"


def test_what_a_replay_needs_is_still_there(data: Path) -> None:
    database = Database(f"sqlite:///{data / 'judge.sqlite3'}")
    database.upgrade()
    for number in (1, 2, 3, 4, 5):
        stored = load_stored(database, number)
        with laid_out(stored) as problem:
            assert (problem.version, problem.slug) == (stored.problem_version, "tiny-add")
        assert all(case.same for case in compare(stored.report, stored.report))
