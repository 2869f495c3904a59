"""The canary and the attacks it cannot make in one cell."""

from __future__ import annotations

import os
import platform
import signal
import sys
import sysconfig
import threading
import time

import pytest

from sandbox.canary import PROBE, attempts, run_canary, try_all
from sandbox.cell import libraries
from sandbox.contract import CellDied, LoadFailed, Program
from sandbox.pool import Pool, Settings, open_pool
from sandbox.session import Session
from tests.sandbox.fake import ForkingClient
from tests.sandbox.isolation.cells import GENEROUS, OpenSession, Submit, backend_named

_HARMLESS = {
    "memfd_create",
    "pidfd_open",
    "shmget",
    "inotify_init1",
    "local socket",
    "pair of datagram sockets",
}
_HARMLESS |= {
    "fork",
    "signal to process 1",
    "list /tmp",
    "read /etc/passwd",
    "environment",
    "read /proc/self/environ",
}


@pytest.mark.boundary
def test_everything_forbidden_is_refused(pool: Pool) -> None:
    assert [str(finding) for finding in run_canary(pool)] == []


def test_the_canary_sees_what_is_not_refused() -> None:
    """Only what does no harm in a process that nothing holds."""
    client = ForkingClient()
    chosen = [attempt for attempt in attempts(True) if attempt.name in _HARMLESS]
    session = Session(client, Program(PROBE.read_bytes(), ("attempt",)), GENEROUS, cell_seed=0)  # type: ignore[arg-type]
    findings = try_all(session, chosen)
    session.close()
    client.end()
    assert {finding.attempt for finding in findings} == {attempt.name for attempt in chosen}


@pytest.mark.parametrize("abi", [1, 3])
def test_an_older_landlock_holds_as_well(abi: int) -> None:
    settings = Settings(spares=0, max_landlock_abi=abi)
    backend_named("landlock", settings)
    with open_pool("landlock", size=1, settings=settings) as pool:
        assert pool.protections["landlock"] == f"abi {abi}"
        assert run_canary(pool) == []


def test_namespaces_hold_without_landlock() -> None:
    settings = Settings(spares=0, max_landlock_abi=0)
    backend_named("namespace", settings)
    with open_pool("namespace", size=1, settings=settings) as pool:
        assert pool.protections["landlock"] == "none"
        assert run_canary(pool) == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 is a dialect of x86_64")
@pytest.mark.boundary
def test_a_call_of_another_dialect_ends_the_cell(submit: Submit) -> None:
    main = submit("import ctypes\ndef main(): return ctypes.CDLL(None).syscall(0x40000000 + 39)")
    with pytest.raises(CellDied) as died:
        main()
    assert died.value.exit.signal == signal.SIGSYS


def test_a_thread_bomb_ends_its_cell_and_no_other(submit: Submit) -> None:
    bomb = submit(
        """
        import threading, time
        def main():
            threading.stack_size(65536)
            for _ in range(140):
                threading.Thread(target=time.sleep, args=(60,)).start()
            time.sleep(60)
        """
    )
    with pytest.raises(CellDied):
        bomb()
    assert submit("def main(): return 1")() == 1
    assert threading.active_count() < 50


def test_a_thread_bomb_cannot_hide_between_quick_cases(open_session: OpenSession) -> None:
    """Each case asks the zygote something; it must look at the threads all the same."""
    session = open_session(
        """
        import threading, time
        threading.stack_size(65536)
        for _ in range(140):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        def main(): return 1
        """
    )
    until_s = time.monotonic() + 20
    why = ""
    while not why and time.monotonic() < until_s:
        try:
            session.begin_case().main()
        except CellDied as died:
            why = died.why
        except LoadFailed as failed:  # on a busy machine it is seen as early as that
            why = failed.kind
        session.end_case()
        time.sleep(0.02)
    assert why == "threads"


def test_a_cell_gives_way_to_its_judge(submit: Submit) -> None:
    nice = submit(
        """
        import os, threading, time
        def main():
            other = threading.Thread(target=time.sleep, args=(60,), daemon=True)
            other.start()
            return [os.getpriority(os.PRIO_PROCESS, n) for n in (0, other.native_id)]
        """
    )
    assert nice() == [os.getpriority(os.PRIO_PROCESS, 0) + 5] * 2


def test_no_folder_that_holds_installed_packages_is_readable() -> None:
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("purelib", vars={"base": sys.base_prefix})}
    for path in libraries.readable():
        assert not any(f"{folder}/".startswith(f"{path}/") for folder in folders), path


@pytest.mark.boundary
def test_a_cell_cannot_undo_what_it_gave_up(submit: Submit) -> None:
    main = submit(
        """
        import ctypes, resource
        libc = ctypes.CDLL(None, use_errno=True)
        def main():
            tried = [libc.prctl(option, value, 0, 0, 0) for option, value in [(1, 0), (4, 1), (28, 0), (38, 0)]]
            try:
                resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
            except (OSError, ValueError):
                tried.append(-1)
            return tried
        """
    )
    assert main() == [-1] * 5
