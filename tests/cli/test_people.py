"""`judge user`: what it tells, what it writes, and that nothing is half done."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from judge.db import Database
from judge.passwords import is_code
from judge.users import get_user
from tests.cli.fakes import RunCli


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    path = tmp_path / "class.csv"
    path.write_text("学号,姓名\n0012,张三\n0013,李四\n", encoding="gb18030")
    return path


def stored_code(tmp_path: Path, name: str) -> str | None:
    with Database(f"sqlite:///{tmp_path / 'data' / 'judge.sqlite3'}").read() as session:
        return get_user(session, name).code_hash


def test_an_added_user_gets_a_code_that_is_shown_once(run: RunCli, tmp_path: Path) -> None:
    told = run("user", "add", "ann", "--full-name", "Ann Lee", "--role", "instructor")
    assert told.status == 0 and "ann can log in as instructor" in told.out
    code = told.out.split()[-1]
    assert is_code(stored_code(tmp_path, "ann"), code)
    listed = run("user", "list").out
    assert "Ann Lee" in listed and "has a code" in listed and code not in listed


def test_a_class_list_may_come_by_standard_input(
    run: RunCli, roster: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with roster.open(encoding="latin-1") as file:
        monkeypatch.setattr("sys.stdin", file)
        told = run("user", "import", "-")
    assert told.status == 0 and "张三" in told.out
    assert is_code(stored_code(tmp_path, "0013"), told.out.split()[-1])


def test_a_class_list_is_imported_and_its_codes_written_for_its_owner_alone(
    run: RunCli, roster: Path, tmp_path: Path
) -> None:
    codes = tmp_path / "codes.csv"
    told = run("user", "import", str(roster), "--codes", str(codes))
    assert told.status == 0 and "2 added, 0 renamed" in told.out
    assert codes.stat().st_mode & 0o777 == 0o600
    rows = list(csv.reader(io.StringIO(codes.read_text("utf-8-sig"))))
    assert [row[:2] for row in rows[1:]] == [["0012", "张三"], ["0013", "李四"]]
    assert is_code(stored_code(tmp_path, "0012"), rows[1][2])
    assert rows[1][2] not in told.out


def test_a_second_import_makes_codes_for_the_new_only(run: RunCli, roster: Path) -> None:
    run("user", "import", str(roster))
    roster.write_text("学号,姓名\n0012,张三丰\n0014,王五\n", encoding="utf-8-sig")
    told = run("user", "import", str(roster))
    assert "1 added, 1 renamed, 0 unchanged" in told.out
    assert "0014" in told.out and "0012" not in told.out


def test_an_import_with_an_error_changes_nothing(run: RunCli, roster: Path, tmp_path: Path) -> None:
    roster.write_text("name\nann\nb b\n")
    told = run("user", "import", str(roster), "--codes", str(tmp_path / "codes.csv"))
    assert told.status == 2 and told.err.startswith("line 3: ")
    assert "ann" not in run("user", "list").out
    assert not (tmp_path / "codes.csv").exists()


def test_codes_are_never_written_over_a_file(run: RunCli, roster: Path, tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text("mine")
    told = run("user", "import", str(roster), "--codes", str(tmp_path / "codes.csv"))
    assert told.status == 2 and "already exists" in told.err
    assert (tmp_path / "codes.csv").read_text() == "mine"
    assert "0012" not in run("user", "list").out


def test_a_reset_makes_a_new_code(run: RunCli, tmp_path: Path) -> None:
    run("user", "add", "ann")
    before = stored_code(tmp_path, "ann")
    told = run("user", "reset", "ANN")
    assert told.status == 0
    assert is_code(stored_code(tmp_path, "ann"), told.out.split()[-1])
    assert stored_code(tmp_path, "ann") != before


def test_a_suspended_user_is_listed_and_comes_back_with_a_code(run: RunCli, tmp_path: Path) -> None:
    run("user", "add", "ann")
    told = run("user", "suspend", "ANN")
    assert told.status == 0 and "ann can no longer log in" in told.out
    assert stored_code(tmp_path, "ann") is None
    assert "cannot log in" in run("user", "list").out
    run("user", "reset", "ann")
    assert "has a code" in run("user", "list").out
    assert run("user", "suspend").status == 2


def test_a_role_is_changed_but_never_the_last_admins(run: RunCli) -> None:
    run("user", "add", "ann", "admin")
    assert run("user", "role", "ann", "learner").status == 2
    run("user", "add", "ben")
    assert "ben is now: admin" in run("user", "role", "ben", "admin").out
    assert run("user", "role", "ann", "learner").status == 0


def test_a_role_may_be_named_as_the_list_prints_it(run: RunCli) -> None:
    assert "ann can log in as admin" in run("user", "add", "ann", "管理员").out
    assert "ben can log in as instructor" in run("user", "add", "ben", "--role", "教师").out
    assert "ben is now: learner" in run("user", "role", "ben", "学生").out
    told = run("user", "role", "ben", "老板")
    assert told.status == 2 and "learner (学生), instructor (教师), admin (管理员)" in told.err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["add"], "missing: NAME"),
        (["import"], "missing: CSV"),
        (["role", "ann"], "missing: ROLE"),
        (["add", "a b"], "cannot be a login name"),
        (["add", "ann", "boss"], "there is no role boss"),
        (["reset", "nobody"], "there is no user nobody"),
        (["role", "nobody", "admin"], "there is no user nobody"),
        (["import", "missing.csv"], "cannot read missing.csv"),
        (["fire", "ann"], "not one of"),
    ],
)
def test_bad_usage_is_one_line(run: RunCli, argv: list[str], said: str) -> None:
    told = run("user", *argv)
    assert told.status == 2 and told.out == ""
    assert said in told.err and len(told.err.splitlines()) == 1


def test_with_a_class_the_command_line_works_for_the_admin_or_refuses(
    run: RunCli, roster: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("user", "import", str(roster))
    told = run("list")
    assert told.status == 2 and "JUDGE_ACCOUNTS=on" in told.err
    monkeypatch.setenv("JUDGE_ACCOUNTS", "on")
    assert run("list").status == 0
