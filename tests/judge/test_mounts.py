from __future__ import annotations

from pathlib import Path

import pytest

from judge import mounts
from judge.db import Database, DatabaseError

ROOT = "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"


def mounted(folder: Path, kind: str) -> str:
    """A line of mountinfo for ``folder``, without the optional fields."""
    point = str(folder).replace(" ", "\\040")
    return f"99 21 0:55 / {point} rw,relatime - {kind} server:/share rw"


@pytest.fixture
def mountinfo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "mountinfo"
    monkeypatch.setattr(mounts, "MOUNTINFO", path)
    return path


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs"])
def test_a_database_on_a_network_file_system_is_refused_in_one_line_and_not_made(
    tmp_path: Path, mountinfo: Path, kind: str
) -> None:
    share = tmp_path / "a share"
    mountinfo.write_text("\n".join([ROOT, mounted(share, kind)]) + "\n")
    path = share / "data" / "judge.sqlite3"
    with pytest.raises(DatabaseError) as refused:
        Database(f"sqlite:///{path}").upgrade()
    for lang in ("zh", "en"):
        told = refused.value.line(lang)
        assert str(path) in told and kind in told and "JUDGE_DATA" in told and "\n" not in told
    assert not path.exists()


def test_the_status_of_a_database_on_a_share_is_refused_before_it_is_opened(
    tmp_path: Path, mountinfo: Path
) -> None:
    mountinfo.write_text(mounted(tmp_path / "share", "nfs4"))
    (tmp_path / "share").mkdir()
    (tmp_path / "share" / "judge.sqlite3").touch()
    with pytest.raises(DatabaseError, match="nfs4"):
        Database(f"sqlite:///{tmp_path / 'share' / 'judge.sqlite3'}").revision()
    assert [path.name for path in (tmp_path / "share").iterdir()] == ["judge.sqlite3"]


def test_a_local_disk_beside_a_share_or_below_it_is_fine(tmp_path: Path, mountinfo: Path) -> None:
    share, disk = tmp_path / "share", tmp_path / "share" / "disk"
    mountinfo.write_text("\n".join([ROOT, mounted(share, "nfs"), mounted(disk, "xfs"), "not a mount"]))
    assert mounts.filesystem(tmp_path / "share-not" / "data") == "ext4"
    assert mounts.filesystem(disk / "data") == "xfs"
    Database(f"sqlite:///{disk / 'judge.sqlite3'}").upgrade()


def test_of_two_mounts_at_one_place_the_later_one_is_seen(tmp_path: Path, mountinfo: Path) -> None:
    mountinfo.write_text("\n".join([ROOT, mounted(tmp_path, "nfs"), mounted(tmp_path, "tmpfs")]))
    assert mounts.filesystem(tmp_path / "data") == "tmpfs"


def test_a_link_is_followed_to_where_the_data_really_lie(tmp_path: Path, mountinfo: Path) -> None:
    (tmp_path / "share").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "share")
    mountinfo.write_text("\n".join([ROOT, mounted(tmp_path / "share", "cifs")]))
    assert mounts.is_network(mounts.filesystem(tmp_path / "link" / "judge.sqlite3"))


def test_where_no_mounts_are_told_nothing_is_refused(tmp_path: Path, mountinfo: Path) -> None:
    assert not mountinfo.exists()
    assert mounts.filesystem(tmp_path) == ""
    Database(f"sqlite:///{tmp_path / 'judge.sqlite3'}").upgrade()


def test_this_machines_own_mounts_can_be_read() -> None:
    if not mounts.MOUNTINFO.exists():
        pytest.skip("no mountinfo on this system")
    assert mounts.filesystem(Path("/proc/self")) == "proc"
