from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from judge.db import REVISION
from judge.lock import DataLock
from tests.cli.fakes import FakeGrading, RunCli
from tests.cli.test_usage import is_chinese, is_one_line


@pytest.fixture
def data(run: RunCli, grading: FakeGrading, tmp_path: Path) -> Path:
    """A data folder with one submission."""
    Path("AC.py").write_text("AC\n")
    assert run("test", "901", "AC.py").status == 0
    return tmp_path / "data"


@contextmanager
def server(data: Path) -> Iterator[None]:
    lock = DataLock(data)
    lock.acquire("http://127.0.0.1:8000")
    try:
        yield
    finally:
        lock.release()


def count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as opened:
        found: int = opened.execute("SELECT count(*) FROM submissions").fetchone()[0]
    return found


def test_a_backup_and_its_restore_bring_the_same_submissions_back(
    run: RunCli, data: Path, tmp_path: Path
) -> None:
    with server(data):
        made = run("db", "backup", "copy.sqlite3")
    assert (made.status, made.out) == (0, "Backup: copy.sqlite3\n")
    assert run("test", "901", "AC.py").status == 0
    assert count(data / "judge.sqlite3") == 2
    told = run("db", "restore", "copy.sqlite3")
    assert told.status == 0 and REVISION in told.out
    replaced = next((data / "backups").glob("replaced-*.sqlite3"))
    assert str(replaced.relative_to(tmp_path)) in told.out
    assert (count(data / "judge.sqlite3"), count(replaced)) == (1, 2)
    assert "solved" in run("list").out


def test_without_a_name_the_backup_goes_into_the_data_folder(run: RunCli, data: Path) -> None:
    told = run("--lang", "zh", "db", "backup")
    (copy,) = (data / "backups").iterdir()
    assert copy.name in told.out and is_chinese(told.out)
    assert count(copy) == 1


def test_a_restore_beside_a_running_server_is_refused_and_names_it(run: RunCli, data: Path) -> None:
    run("db", "backup", "copy.sqlite3")
    with server(data):
        told = run("db", "restore", "copy.sqlite3")
    assert (told.status, told.out) == (2, "")
    assert is_one_line(told.err) and "http://127.0.0.1:8000" in told.err


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (("db", "backup", "AC.py"), 3),
        (("db", "backup", "no-such-folder/copy.sqlite3"), 3),
        (("db", "restore"), 2),
        (("db", "restore", "missing.sqlite3"), 2),
        (("db", "restore", "AC.py"), 3),
        (("db", "restore", "data/judge.sqlite3"), 2),
        (("db", "path", "AC.py"), 2),
    ],
)
def test_what_cannot_be_done_is_one_line_in_either_language(
    run: RunCli, data: Path, argv: tuple[str, ...], status: int
) -> None:
    english, chinese = run(*argv), run("--lang", "zh", *argv)
    for told in (english, chinese):
        assert (told.status, told.out) == (status, "")
        assert is_one_line(told.err)
    assert is_chinese(chinese.err) and not is_chinese(english.err)
    assert count(data / "judge.sqlite3") == 1


def test_there_is_nothing_to_back_up_before_the_first_start(run: RunCli, tmp_path: Path) -> None:
    told = run("db", "backup")
    assert (told.status, told.out) == (3, "") and is_one_line(told.err)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("argv", [("backup",), ("restore", "AC.py")])
def test_for_postgresql_the_right_tool_is_named_and_the_password_is_not(
    run: RunCli, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    monkeypatch.setenv("JUDGE_DATABASE_URL", "postgresql+psycopg://judge:secret@db/judge")
    for lang in ("zh", "en"):
        told = run("--lang", lang, "db", *argv)
        assert (told.status, told.out) == (2, "")
        assert is_one_line(told.err) and "pg_dump" in told.err and "pg_restore" in told.err
        assert "secret" not in told.err


def test_a_password_is_not_shown_by_a_complaint_about_the_address(
    run: RunCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_DATABASE_URL", "nosuchdb://judge:secret@db/judge")
    told = run("db")
    assert told.status == 3 and is_one_line(told.err) and "secret" not in told.err


def test_a_relative_address_of_the_database_is_found_from_the_folder_it_was_given_in(
    run: RunCli, grading: FakeGrading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_DATABASE_URL", "sqlite:///own.sqlite3")
    assert run("db", "path").out.strip() == str(tmp_path / "own.sqlite3")
    Path("AC.py").write_text("AC\n")
    run("test", "901", "AC.py")
    assert count(tmp_path / "own.sqlite3") == 1
