"""Whatever ends the owner of a pool, no zygote is left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.engine import connect
from sandbox.owner import has_ended, own_identity
from sandbox.pool import Settings, open_pool
from tests.sandbox.isolation.cells import backend_named

_OWNER = """
import signal, sys, time
from sandbox.pool import Settings, open_pool
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job is born ignoring it
    pool = open_pool(sys.argv[1], size=1, settings=Settings(spares=0))
    print(pool.acquire(60).name, flush=True)
    time.sleep(600)
"""


def _exists(name: str) -> bool:
    kind, identity = name.split()
    if kind == "process":
        return (
            Path(f"/proc/{identity}/cmdline").exists()
            and Path(f"/proc/{identity}/cmdline").read_bytes() != b""
        )
    engine, _ = connect()
    assert engine is not None
    return any(
        str(found.id).startswith(identity) for found in engine.containers.list(all=True, ignore_removed=True)
    )


def _within(limit_s: float, holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_zygotes_end_with_their_owner(backend: str, how: signal.Signals) -> None:
    root = Path(__file__).resolve().parents[3]
    owner = subprocess.Popen(
        [sys.executable, "-c", _OWNER, backend], cwd=root, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    name = owner.stdout.readline().strip()
    assert _exists(name)
    owner.send_signal(how)
    owner.wait(60)
    owner.stdout.close()
    assert _within(30, lambda: not _exists(name))


def test_a_living_process_is_never_taken_for_an_ended_one() -> None:
    mine = own_identity()
    assert not has_ended(mine)
    world, pid, start_time = mine.rsplit(":", 2)
    assert has_ended(f"{world}:{pid}:{int(start_time) + 1}")
    assert not has_ended(f"another machine:{pid}:{int(start_time) + 1}")
    assert not has_ended("")


@pytest.mark.docker
def test_what_an_ended_owner_left_is_cleared_and_a_living_one_s_is_kept(tmp_path: Path) -> None:
    backend_named("docker").close()
    world, pid, start_time = own_identity().rsplit(":", 2)
    for name, identity in {"ended": f"{world}:{pid}:{int(start_time) + 1}", "living": own_identity()}.items():
        (tmp_path / f"judge-zygotes-{name}").mkdir()
        (tmp_path / f"judge-zygotes-{name}" / "owner").write_text(identity)
    with open_pool("docker", size=1, settings=Settings(spares=0, run_folder=str(tmp_path))):
        assert not (tmp_path / "judge-zygotes-ended").exists()
        assert (tmp_path / "judge-zygotes-living").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["judge-zygotes-living"]
