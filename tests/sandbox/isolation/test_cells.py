"""Cells as a judgement meets them: what they use, how they end, and that nothing of one reaches the next."""

from __future__ import annotations

import signal
from dataclasses import replace

import pytest

from sandbox.cell.proc import cgroup_files
from sandbox.client import Cell, ZygoteClient
from sandbox.contract import CellDied, Limits, Timeout
from sandbox.pool import Zygote
from tests.sandbox.isolation.cells import GENEROUS, OpenSession, Submit


def how_it_ended(main: object) -> CellDied:
    """Calls an entry point whose cell does not survive."""
    assert callable(main)
    with pytest.raises(CellDied) as died:
        main()
    return died.value


def closed(cell: Cell) -> bool:
    """Whether the other end of a cell's wire has gone."""
    cell.wire.settimeout(10)
    return cell.wire.recv(1) == b""


def test_a_fresh_cell_has_used_next_to_nothing(client: ZygoteClient) -> None:
    cell = client.spawn(Limits())
    usage = cell.usage()
    assert 0 <= usage.cpu_s < 1
    assert usage.memory_mib < 16
    cell.kill()
    cell.close()


def test_a_killed_cell_says_so_each_time_it_is_asked(client: ZygoteClient) -> None:
    cell = client.spawn(Limits())
    ended = cell.kill()
    assert (ended.reason, ended.signal) == ("killed", signal.SIGKILL)
    assert cell.kill() is ended
    assert cell.wait(0) is ended
    cell.close()


def test_a_cell_that_runs_has_not_ended(client: ZygoteClient) -> None:
    cell = client.spawn(Limits())
    assert cell.wait(0.05) is None
    cell.kill()
    cell.close()


def test_a_cell_ends_when_its_wire_closes(client: ZygoteClient) -> None:
    cell = client.spawn(Limits())
    cell.close()
    ended = cell.wait(10)
    assert ended is not None
    assert (ended.reason, ended.status) == ("exited", 0)


def test_a_spawn_ends_the_cell_before(client: ZygoteClient) -> None:
    first = client.spawn(Limits())
    second = client.spawn(Limits())
    assert closed(first)
    assert second.wait(0) is None
    second.kill()
    first.close()
    second.close()


def test_a_cell_that_nobody_fetched_is_not_taken_for_the_next(client: ZygoteClient) -> None:
    client.begin_spawn(Limits())
    cell = client.spawn(Limits())
    assert cell.wait(0) is None
    assert cell.kill().reason == "killed"
    cell.close()


def test_the_cpu_time_of_a_case_is_what_its_cell_burned(open_session: OpenSession) -> None:
    session = open_session(
        """
        import time
        def main():
            start = time.process_time()
            while time.process_time() < start + 0.3:
                pass
        """
    )
    session.begin_case().main()
    assert 0.3 <= session.end_case().cpu_s < 3


def test_memory_is_the_high_water_mark_of_the_cell_alone(open_session: OpenSession) -> None:
    session = open_session("import torch\ndef main(mib): return len(torch.ones(mib, 2**18))")
    assert session.begin_case().main(96) == 96
    assert 90 < session.end_case().memory_mib < 160


def test_an_exit_of_its_own_is_told_from_a_signal(submit: Submit) -> None:
    died = how_it_ended(submit("import os\ndef main(): os._exit(3)"))
    assert (died.exit.reason, died.exit.status) == ("exited", 3)
    died = how_it_ended(submit("import os\ndef main(): os.abort()"))
    assert (died.exit.reason, died.exit.signal) == ("signal", signal.SIGABRT)


def test_killing_itself_does_not_look_like_running_out_of_memory(submit: Submit) -> None:
    died = how_it_ended(submit("import os\ndef main(): os.kill(os.getpid(), 9)"))
    assert (died.exit.reason, died.why) == ("signal", "died")


@pytest.mark.parametrize("prelude", ["", "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)"])
def test_the_kernel_ends_a_cell_that_outlives_its_cpu_time(submit: Submit, prelude: str) -> None:
    main = submit(f"{prelude}\ndef main():\n    while True: pass", replace(GENEROUS, judgement_limit_s=1.0))
    with pytest.raises(Timeout) as ended:  # and not CellDied, although nobody but the kernel killed it
        main()
    assert ended.value.cpu_s < 10


@pytest.mark.parametrize("allocate", ["bytearray(2**20)", "torch.ones(2**18)"])
def test_memory_beyond_the_limit_is_an_error_and_no_kill(submit: Submit, allocate: str) -> None:
    main = submit(
        f"""
        import torch
        def main():
            kept = []
            try:
                while True:
                    kept.append({allocate})
            except (MemoryError, RuntimeError):
                return len(kept)
        """,
        replace(GENEROUS, memory_limit_mib=256),
    )
    # MiB; the limit is on the address space, and what the zygote had mapped and not yet used comes on top
    assert 150 < main() <= 256 + 16


def test_nothing_of_one_submission_reaches_the_next(submit: Submit) -> None:
    leave = submit("import torch\ndef main():\n    torch.left = torch.nn.left = 1\n    torch.manual_seed(7)")
    leave()
    found = submit("import torch\ndef main(): return hasattr(torch, 'left'), hasattr(torch.nn, 'left')")
    assert found() == (False, False)


@pytest.mark.boundary
def test_no_flag_of_a_descriptor_reaches_the_next_submission(submit: Submit) -> None:
    source = """
        import fcntl, os
        def main():
            before = fcntl.fcntl(0, fcntl.F_GETFL)
            fcntl.fcntl(0, fcntl.F_SETFL, before | os.O_NONBLOCK | os.O_APPEND)
            return before
    """
    assert submit(source)() == submit(source)()


def test_a_cell_dies_with_its_zygote_and_the_pool_notices(zygote: Zygote, client: ZygoteClient) -> None:
    cell = client.spawn(Limits())
    assert zygote.alive
    zygote.end()  # SIGKILL, as from outside
    assert closed(cell)
    assert not zygote.alive
    cell.close()


@pytest.mark.parametrize(
    ("table", "first"),
    [
        ("0::/user.slice/judge.service\n", "/cg/user.slice/judge.service/memory.events"),
        ("5:memory:/docker/4711\n4:cpu,cpuacct:/\n0::/\n", "/cg/memory/docker/4711/memory.oom_control"),
        ("4:cpu:/\n", None),
        ("", None),
    ],
)
def test_the_cgroup_is_found_in_both_versions(table: str, first: str | None) -> None:
    files = cgroup_files(table, "/cg")
    assert files[:1] == ([first] if first else [])
    assert not files or files[1] in ("/cg/memory.events", "/cg/memory/memory.oom_control")
