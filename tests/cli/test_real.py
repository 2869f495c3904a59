"""The program itself, with real cells: what a learner types in a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.pool import Settings, all_backends
from tests.cli.fakes import TINY
from tests.conftest import BACKENDS, missing

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["landlock"])  # what no backend changes; the first test asks for each
def backend(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    found = next(one for one in all_backends(Settings(), memory_mib=2048) if one.name == name)
    if why := found.available():
        missing(str(why))
    return name


def judge(tmp_path: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    given = {"JUDGE_DATA": str(tmp_path / "data"), "JUDGE_PROBLEMS": str(TINY), "JUDGE_LANG": "en"}
    command = [sys.executable, str(ROOT / "practice" / "judge.py"), *argv]
    environ = {**os.environ, **given}
    return subprocess.run(
        command, env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=170, check=False
    )


@pytest.mark.parametrize("backend", BACKENDS, indirect=True)
def test_a_file_is_judged_in_a_cell_and_stored(tmp_path: Path, backend: str) -> None:
    right, wrong = TINY / "901-add" / "solution.py", TINY / "901-add" / "mutants" / "subtracts.py"
    (tmp_path / "broken.py").write_bytes(b"\xff\x00")
    files = [str(right), str(wrong), "broken.py"]
    told = judge(tmp_path, "test", "901", *files, "--json", "--sandbox", backend)
    assert told.returncode == 1, told.stderr
    results = [json.loads(line) for line in told.stdout.splitlines()]
    assert [one["verdict"] for one in results] == ["AC", "WA", "CE"]
    assert results[1]["cases"][0]["mistake"] == "add-subtracts"
    assert f"sandbox: {backend}" in told.stderr
    assert "solved" in judge(tmp_path, "list").stdout


def test_the_reader_of_a_pipe_may_leave_early(tmp_path: Path) -> None:
    command = f"{sys.executable} {ROOT / 'practice' / 'judge.py'} start 901 | head -n 1"
    environ = {
        **os.environ,
        "JUDGE_DATA": str(tmp_path),
        "JUDGE_WORKSPACE": str(tmp_path),
        "JUDGE_PROBLEMS": str(TINY),
    }
    told = subprocess.run(
        command, shell=True, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert told.stdout.startswith("#901")
    assert told.stderr == ""


@pytest.mark.timeout(500)  # five programs one after the other
def test_a_stored_judgement_replays_the_same_from_a_restored_backup(tmp_path: Path, backend: str) -> None:
    wrong = TINY / "901-add" / "mutants" / "subtracts.py"
    judged = judge(tmp_path, "test", "901", str(wrong), "--json", "--sandbox", backend)
    assert judged.returncode == 1, judged.stderr
    for command in (("db", "backup", "copy.sqlite3"), ("db", "restore", "copy.sqlite3")):
        told = judge(tmp_path, *command)
        assert (told.returncode, told.stderr) == (0, "")
    again = judge(tmp_path, "replay", "1", "--json", "--sandbox", backend)
    assert again.returncode == 0, again.stderr
    one, first = json.loads(again.stdout), json.loads(judged.stdout)
    assert one["same"] and one["seed"] == first["seed"]
    assert one["stored"]["score"] == one["replayed"]["score"] == first["score"]
