"""The pool's own rules, over zygotes that only answer."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from sandbox.backend import Backend, NoBackend, Reason, Settings, Zygote, choose
from sandbox.contract import Protections, SandboxFault
from sandbox.pool import Pool
from tests.conftest import eventually


class Answering(Backend):
    """Its zygotes answer every request with nothing."""

    name = "answering"

    def __init__(self) -> None:
        self.started: list[Zygote] = []
        self.fails = False
        self.calibration_s = 0.001

    def available(self) -> Reason:
        return Reason()

    def protections(self, facts: dict[str, Any]) -> Protections:
        return {"boundary": "none"}

    def start(self) -> Zygote:
        if self.fails:
            raise SandboxFault("no room")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

        def answer() -> None:
            with theirs, suppress(ConnectionError):
                while raw := theirs.recv(65536):
                    theirs.send(json.dumps({"nonce": json.loads(raw)["nonce"]}).encode())

        def end() -> None:
            with suppress(OSError):  # it may have ended on its own just now
                theirs.shutdown(socket.SHUT_RDWR)

        threading.Thread(target=answer, daemon=True).start()
        self.started.append(Zygote(ours, {"calibration_s": self.calibration_s}, end))
        return self.started[-1]


@pytest.fixture
def starter() -> Answering:
    return Answering()


@pytest.fixture
def pool(starter: Answering) -> Iterator[Pool]:
    with Pool(starter, size=2, settings=Settings(spares=1, recycle_after=3)) as opened:
        yield opened


def grown(pool: Pool, starter: Answering, count: int) -> bool:
    """Waits until the backend has started so many."""
    return eventually(lambda: len(starter.started) >= count) and len(starter.started) == count


def gone(*zygotes: Zygote, count: int | None = None) -> bool:
    """Waits until so many of them have ended, by default all."""
    wanted = len(zygotes) if count is None else count
    return eventually(lambda: sum(not one.alive for one in zygotes) == wanted)


def test_it_keeps_one_spare_beside_those_in_use(pool: Pool, starter: Answering) -> None:
    assert grown(pool, starter, 3)
    pool.acquire(5), pool.acquire(5)
    with pytest.raises(SandboxFault, match="no zygote was free"):
        pool.acquire(0.05)


def test_one_can_wait_until_all_are_warm(starter: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    start, go_on = starter.start, threading.Event()

    def late() -> Zygote:
        if starter.started:
            go_on.wait(30)
        return start()

    monkeypatch.setattr(starter, "start", late)
    with Pool(starter, size=2, settings=Settings(spares=0)) as pool:
        assert not pool.wait_warm(0.05)
        go_on.set()
        assert pool.wait_warm(30) and len(starter.started) == 2


def test_a_zygote_is_lent_to_one_at_a_time(pool: Pool) -> None:
    first, second = pool.acquire(5), pool.acquire(5)
    assert first is not second
    threading.Timer(0.05, pool.release, (first, True)).start()
    assert pool.acquire(10) not in (second,)


def test_one_that_is_not_reusable_ends_and_a_spare_is_there_at_once(pool: Pool, starter: Answering) -> None:
    assert grown(pool, starter, 3)
    bad = pool.acquire(5)
    pool.release(bad, reusable=False)
    assert not bad.alive
    assert pool.acquire(5) is not bad
    assert grown(pool, starter, 4)


def serve(pool: Pool) -> list[Zygote]:
    """As many submissions at once as it takes."""
    lent = [pool.acquire(10) for _ in range(pool.size)]
    for zygote in lent:
        pool.release(zygote, reusable=True)
    return lent


def test_it_is_replaced_after_so_many_submissions(starter: Answering) -> None:
    with Pool(starter, size=1, settings=Settings(spares=0, recycle_after=3)) as pool:
        old = starter.started[0]
        assert [serve(pool) for _ in range(3)] == [[old]] * 3
        assert grown(pool, starter, 2) and gone(old)
        assert serve(pool) == starter.started[1:]


def test_those_that_wear_out_together_serve_until_others_are_warm(
    starter: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, may_start = starter.start, threading.Semaphore(2)

    def slowly() -> Zygote:
        may_start.acquire()
        return start()

    monkeypatch.setattr(starter, "start", slowly)
    with Pool(starter, size=2, settings=Settings(spares=0, recycle_after=3)) as pool:
        assert pool.wait_warm(30)
        old = list(starter.started)
        for _ in range(5):
            assert set(serve(pool)) == set(old)
        may_start.release()
        assert grown(pool, starter, 3) and gone(*old, count=1)
        assert starter.started[2] in serve(pool)
        may_start.release()
        assert grown(pool, starter, 4) and gone(*old)
        may_start.release(9)


def test_a_dead_idle_zygote_is_replaced_unasked(pool: Pool, starter: Answering) -> None:
    assert grown(pool, starter, 3)
    starter.started[1].end()
    assert grown(pool, starter, 4)
    assert pool.acquire(5).alive
    assert pool.acquire(5).alive


def test_a_silent_zygote_is_not_lent_again(starter: Answering) -> None:
    with Pool(starter, size=1, settings=Settings(spares=0)) as pool:
        zygote = pool.acquire(5)
        zygote.end()
        pool.release(zygote, reusable=True)
        assert pool.acquire(10) is not zygote


def test_a_failing_start_is_tried_again_and_told(starter: Answering) -> None:
    with Pool(starter, size=1, settings=Settings(spares=0)) as pool:
        starter.fails = True
        pool.release(pool.acquire(5), reusable=False)
        with pytest.raises(SandboxFault, match="no room"):
            pool.acquire(0.5)
        starter.fails = False
        assert pool.acquire(20).alive


def test_closing_ends_all_of_them(starter: Answering) -> None:
    pool = Pool(starter, size=2, settings=Settings(spares=1))
    lent = pool.acquire(5)
    pool.close()
    assert not lent.alive
    assert not any(zygote.alive for zygote in starter.started)
    with pytest.raises(SandboxFault, match="closed"):
        pool.acquire(1)


def test_the_factor_is_one_on_a_fast_machine_and_grows_on_a_slow_one(starter: Answering) -> None:
    with Pool(starter, size=1, settings=Settings(spares=0)) as pool:
        assert pool.factor == 1.0
    starter.calibration_s = 0.3
    with Pool(starter, size=1, settings=Settings(spares=0)) as pool:
        assert pool.factor > 2


def test_auto_takes_the_first_that_can_be_had_and_says_why_the_others_cannot() -> None:
    class Missing(Answering):
        name = "missing"

        def available(self) -> Reason:
            return Reason("install it", "请安装")

    working = Answering()
    assert choose("auto", [Missing(), working]) is working
    with pytest.raises(NoBackend) as none:
        choose("missing", [Missing(), working])
    assert none.value.lines("zh") == ["missing: 请安装"]
    with pytest.raises(NoBackend, match="no such sandbox backend"):
        choose("mising", [Missing(), working])


def test_a_fresh_zygote_has_served_nobody(pool: Pool, starter: Answering) -> None:
    assert grown(pool, starter, 3)
    used = pool.acquire(5)
    pool.release(used, reusable=True)
    with pool.alone(5):  # it is taken back behind our back
        assert pool.acquire(5) is used  # so that unused ones are there when a fresh one is asked for
    fresh = pool.acquire(5, fresh=True)
    assert fresh is not used and fresh.served == 1
    pool.release(fresh, reusable=False)
    assert not fresh.alive


def test_used_zygotes_make_room_for_a_fresh_one(starter: Answering) -> None:
    with Pool(starter, size=1, settings=Settings(spares=0, recycle_after=9)) as pool:
        used = pool.acquire(5)
        pool.release(used, reusable=True)
        fresh = pool.acquire(10, fresh=True)
        assert fresh is not used and fresh.served == 1 and not used.alive
        pool.release(fresh, reusable=False)
