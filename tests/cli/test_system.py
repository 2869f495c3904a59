from __future__ import annotations

import os
import re
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from judge.db import REVISION
from judge.doctor import Finding
from sandbox.backend import NoBackend, Reason
from tests.cli.fakes import TINY, RunCli


class Replaced(Exception):
    """The process handed itself over to another program."""

    def __init__(self, program: str, arguments: list[str], environ: dict[str, str]) -> None:
        self.program, self.arguments, self.environ = program, arguments, environ


@pytest.fixture
def execve(monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(*given: Any) -> NoReturn:
        raise Replaced(*given)

    monkeypatch.setattr(os, "execve", replace)


def serve(run: RunCli, *argv: str) -> Replaced:
    with pytest.raises(Replaced) as replaced:
        run("serve", *argv)
    return replaced.value


def test_serve_hands_over_to_the_web_with_every_path_absolute(
    run: RunCli,
    execve: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("JUDGE_DATA", "here")
    monkeypatch.setenv("JUDGE_WORKSPACE", "mine")
    monkeypatch.setenv("JUDGE_GRADER", "grader.sock")
    monkeypatch.setenv("JUDGE_DATABASE_URL", "sqlite:///own.sqlite3")
    server = serve(run, "--port", "8123", "--sandbox", "landlock")
    assert (server.program, server.arguments[1:]) == (sys.executable, ["-m", "web"])
    environ = server.environ
    assert (environ["JUDGE_DATA"], environ["JUDGE_PROBLEMS"]) == (str(tmp_path / "here"), str(TINY))
    assert environ["JUDGE_DATABASE_URL"] == f"sqlite:///{tmp_path / 'own.sqlite3'}"
    assert environ["JUDGE_WORKSPACE"] == str(tmp_path / "mine")
    assert environ["JUDGE_GRADER"] == str(tmp_path / "grader.sock")
    assert (environ["JUDGE_PORT"], environ["JUDGE_SANDBOX"], environ["JUDGE_LANG"]) == (
        "8123",
        "landlock",
        "en",
    )
    assert Path.cwd() == Path(__file__).parents[2]
    told = capsys.readouterr().out
    assert str(tmp_path / "here") in told and "http://127.0.0.1:8123" in told


def test_a_port_that_is_none_is_one_line(run: RunCli, execve: None) -> None:
    told = run("serve", "--port", "http")
    assert (told.status, told.out) == (2, "")
    assert "JUDGE_PORT=http" in told.err


def test_the_database_is_found_and_brought_up(run: RunCli, tmp_path: Path) -> None:
    assert run("db", "path").out.strip() == str(tmp_path / "data" / "judge.sqlite3")
    assert REVISION in run("db", "upgrade").out
    status = run("db").out
    assert status.count(REVISION) == 2


def test_a_database_that_is_not_there_yet_is_no_error(run: RunCli, tmp_path: Path) -> None:
    assert run("db", "status").status == 0
    assert not (tmp_path / "data").exists()


def test_the_language_is_kept(run: RunCli) -> None:
    assert "English" in run("lang").out
    assert "中文" in run("lang", "zh").out
    assert "中文" in run("lang").out
    assert "题目" in run("list").out
    assert "title" in run("--lang", "en", "list").out


def test_the_doctor_names_each_obstacle_and_fails_when_nothing_can_be_judged(
    run: RunCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_pool(*_: object, **__: object) -> NoReturn:
        raise NoBackend({"docker": Reason("no engine", "没有引擎")})

    monkeypatch.setattr("sandbox.pool.open_pool", open_pool)
    monkeypatch.setattr("sandbox.pool.all_backends", lambda *_, **__: [])
    told = run("doctor")
    assert told.status == 3
    assert "✗ docker: no engine" in told.out
    assert "torch" in told.out and re.search(r"(\d+) of \1 problems", told.out)
    assert "没有引擎" in run("--lang", "zh", "doctor").out


class BoundlessPool(nullcontext[None]):
    """All that the doctor asks of a pool."""

    backend, factor, protections = "process", 1.0, {"boundary": "none"}


def test_the_doctor_says_what_each_sandbox_protects_or_why_it_cannot_be_had(
    run: RunCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def backend(name: str, reason: Reason) -> SimpleNamespace:
        return SimpleNamespace(name=name, available=lambda: reason)

    usable = [backend(name, Reason()) for name in ("docker", "landlock", "process")]
    blocked = backend("namespace", Reason("AppArmor is in the way", "AppArmor 拦住了"))
    monkeypatch.setattr("sandbox.pool.all_backends", lambda *_, **__: [*usable, blocked])
    monkeypatch.setattr("sandbox.pool.open_pool", lambda *_, **__: BoundlessPool())
    told = run("doctor").out
    assert "docker can be used: a container" in told and "landlock can be used: a process" in told
    assert "! sandbox namespace cannot be used: AppArmor is in the way" in told
    assert "! this sandbox isolates nothing" in told and "canary" not in told
    chinese = run("--lang", "zh", "doctor").out
    assert "AppArmor 拦住了" in chinese and "没有任何隔离" in chinese


def test_the_doctor_is_content_where_everything_works(run: RunCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "judge.doctor._sandbox", lambda *_: iter([Finding("ok", "fine"), Finding("warn", "no docker")])
    )
    told = run("doctor")
    assert told.status == 0
    assert "✓ fine" in told.out and "! no docker" in told.out


def test_the_doctor_reports_a_data_folder_that_cannot_be_written(
    run: RunCli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("judge.doctor._sandbox", lambda *_: iter([]))
    (tmp_path / "data").write_text("in the way")
    told = run("doctor")
    assert told.status == 3
    assert "JUDGE_DATA" in told.out


def test_a_grader_of_its_own_needs_a_socket(run: RunCli) -> None:
    told = run("grader")
    assert told.status == 2 and told.err.count("\n") == 1
    assert "JUDGE_GRADER=" in told.err and "JUDGE_GRADER=" in run("--lang", "zh", "grader").err


def test_a_grader_of_its_own_refuses_a_sandbox_without_walls(
    run: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_GRADER", str(tmp_path / "s"))
    told = run("--sandbox", "process", "grader")
    assert told.status == 2 and "isolates nothing" in told.err
    assert not (tmp_path / "s").exists()
