"""Where a grader listens: who may connect, what stands in the way, and how long a path may be."""

from __future__ import annotations

import socket
import stat
from pathlib import Path

import pytest

from judge.lines import UserError
from judge.remote.server import listening
from sandbox.unix_address import unix_address


def test_the_socket_is_for_this_user_or_for_the_folders_group(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o2770)
    for folder, mode in ((tmp_path, 0o600), (shared, 0o660)):
        with listening(folder / "s"):
            assert stat.S_IMODE((folder / "s").stat().st_mode) == mode
            with pytest.raises(UserError, match="another grader"), listening(folder / "s"):
                pass
        assert not (folder / "s").exists()


def test_a_folder_of_a_long_path_is_reached_all_the_same(tmp_path: Path) -> None:
    folder = tmp_path / ("f" * 120)
    folder.mkdir()
    with listening(folder / "s"), socket.socket(socket.AF_UNIX) as sock:
        with unix_address(folder / "s") as address:
            sock.connect(address)
        with pytest.raises(UserError, match="another grader"), listening(folder / "s"):
            pass
    assert not list(folder.iterdir())


def test_what_a_dead_grader_left_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "s"))
    with listening(tmp_path / "s"), socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(tmp_path / "s"))
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UserError, match="cannot listen"), listening(tmp_path / "file"):
        pass
    assert (tmp_path / "file").read_text() == "mine"
