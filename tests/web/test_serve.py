"""`python -m web` with settings that cannot be used: one line that says what to do, and the exit status."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import web.__main__
from judge.db import Database
from judge.models import User

ROOT = Path(__file__).parents[2]


def serve(data: Path, **settings: str) -> tuple[int, str]:
    """The exit status and standard error of a server that ends by itself."""
    env = {**os.environ, "JUDGE_DATA": str(data), "JUDGE_LANG": "en", **settings}
    done = subprocess.run(
        [sys.executable, "-m", "web"], cwd=ROOT, env=env, capture_output=True, text=True, timeout=100
    )
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.returncode, done.stderr


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@pytest.fixture
def taken() -> Iterator[int]:
    """A port of this machine that somebody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        yield sock.getsockname()[1]


def test_a_taken_port_names_the_command_that_works(tmp_path: Path, taken: int) -> None:
    status, line = serve(tmp_path, JUDGE_PORT=str(taken))
    assert status == 2
    assert f"Port {taken} is taken" in line
    free = int(line.split("JUDGE_PORT=")[1].split()[0])
    assert free != taken
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", free))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
def test_an_address_that_others_reach_is_refused_without_accounts(tmp_path: Path, host: str) -> None:
    status, line = serve(tmp_path, JUDGE_HOST=host)
    assert status == 2
    assert "without accounts" in line
    assert list(tmp_path.iterdir()) == []


def test_a_setting_that_is_no_port_is_named(tmp_path: Path) -> None:
    status, line = serve(tmp_path, JUDGE_PORT="http")
    assert status == 2
    assert "JUDGE_PORT=http" in line


def test_a_data_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, line = serve(tmp_path / "file", JUDGE_PORT="1")
    assert status == 2
    status, line = serve(tmp_path / "file", JUDGE_PORT=str(free_port()))
    assert status == 2
    assert "JUDGE_DATA" in line


def test_without_a_sandbox_it_says_why(tmp_path: Path) -> None:
    nobody = f"unix://{tmp_path}/no-engine.sock"
    status, line = serve(tmp_path, JUDGE_SANDBOX="docker", DOCKER_HOST=nobody, JUDGE_PORT=str(free_port()))
    assert status == 3
    assert "docker: no container engine answers" in line


def test_with_accounts_the_sandbox_must_hold(tmp_path: Path) -> None:
    status, line = serve(tmp_path, JUDGE_ACCOUNTS="on", JUDGE_SANDBOX="process", JUDGE_PORT=str(free_port()))
    assert status == 2
    assert "isolates nothing" in line


def test_a_class_is_not_served_without_accounts(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'judge.sqlite3'}")
    database.upgrade()
    with database.write() as session:
        session.add_all([User(name="anna", role="learner"), User(name="ben", role="learner")])
    database.close()
    status, line = serve(tmp_path, JUDGE_PORT=str(free_port()))
    assert status == 2
    assert "2 users" in line and "JUDGE_ACCOUNTS=on" in line


def test_with_accounts_other_addresses_are_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[tuple[str, bool]] = []
    for name, value in {
        "HOST": "0.0.0.0",
        "PORT": str(free_port()),
        "ACCOUNTS": "on",
        "DATA": str(tmp_path),
    }.items():
        monkeypatch.setenv(f"JUDGE_{name}", value)
    monkeypatch.setattr(
        web.__main__, "serve", lambda config, sock, lang: served.append((config.host, config.accounts)) or 0
    )
    assert web.__main__.main() == 0
    assert served == [("0.0.0.0", True)]
