"""A pool of warm zygotes: one submission at a time each, with a spare to take over at once."""

from __future__ import annotations

import atexit
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sandbox.backend import Backend, NoBackend, Reason, Settings, Zygote, choose, cpu_count
from sandbox.client import ZygoteClient
from sandbox.contract import Protections, SandboxFault
from sandbox.docker_backend import DockerBackend
from sandbox.landlock import LandlockBackend
from sandbox.namespace import NamespaceBackend
from sandbox.process import ProcessBackend
from sandbox.rests import Rests

__all__ = ["NoBackend", "Pool", "Settings", "Zygote", "open_pool"]

_NOMINAL_CALIBRATION_S = 0.015
"""What preload's fixed workload takes on the machine where the problems' limits were set."""

_WATCH_EVERY_S = 0.5
_RETRY_AFTER_S = 1.0
_MIB_PER_ZYGOTE = 1024


class Pool:
    """Thread-safe. At most ``size`` zygotes are in use at once; spares beside them are already warm."""

    def __init__(self, backend: Backend, *, size: int, settings: Settings) -> None:
        """Starts the first zygote and returns once it is warm; the others follow. Raises SandboxFault."""
        self.backend = backend.name
        self.size = size
        self._starter = backend
        self._settings = settings
        self._target = size + settings.spares
        self._changed = threading.Condition()
        self._idle: deque[Zygote] = deque()
        self._busy: set[Zygote] = set()
        self._rests = Rests(cpu_count())
        self._alone: int | None = None  # the thread that nobody else may judge beside
        self._starting = 0
        self._last_failure = ""
        self._closed = False
        self._threads: set[threading.Thread] = set()
        first = backend.start()
        self.protections: Protections = backend.protections(first.facts)
        self.facts = dict(first.facts)
        self.factor = max(1.0, float(first.facts["calibration_s"]) / _NOMINAL_CALIBRATION_S)
        self._idle.append(first)
        atexit.register(self.close)
        with self._changed:
            self._fill()
        self._run_thread(self._watch)

    def acquire(self, timeout_s: float, fresh: bool = False) -> Zygote:
        """A live zygote for one submission; ``fresh``: one that has served nobody. Raises SandboxFault after ``timeout_s``.

        A fresh one is to be released as not reusable.
        """
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while True:
                if self._closed:
                    raise SandboxFault("the pool is closed")
                self._drop_dead()
                turn = self._alone in (None, threading.get_ident())
                room = turn and len(self._busy) < self.size
                if room and (zygote := self._next(fresh)) is not None:
                    self._idle.remove(zygote)
                    self._busy.add(zygote)
                    zygote.served += 1
                    self._rests.begin(zygote)
                    return zygote
                left_s = deadline - time.monotonic()
                if left_s <= 0 or not self._changed.wait(left_s):
                    raise SandboxFault(f"no zygote was free within {timeout_s:.1f} s{self._why()}")

    def release(self, zygote: Zygote, reusable: bool) -> None:
        """Give it back after a submission, at once. Not reusable or silent: it ends, and a spare takes its place.

        A cell that is left in it is ended behind the caller's back: until then it counts as in use. One that is worn out
        ends as soon as another is warm.
        """
        self._rests.end(zygote)
        if reusable and zygote.alive:
            self._run_thread(lambda: self._take_back(zygote, True))
        else:
            self._take_back(zygote, False)

    def note_long(self, zygote: Zygote, long: bool) -> None:
        """The cell of a zygote in use has computed for long within a case (see Rests), or that case is over."""
        self._rests.note(zygote, long)

    def _take_back(self, zygote: Zygote, keep: bool) -> None:
        if keep:
            try:
                ZygoteClient(zygote.control).reset()
            except SandboxFault:
                keep = False
        with self._changed:
            self._busy.discard(zygote)
            keep = keep and not self._closed
            if keep:
                self._idle.append(zygote)
                self._retire()
            self._fill()
            self._changed.notify_all()
        if not keep:
            zygote.kill()

    @contextmanager
    def alone(self, timeout_s: float) -> Iterator[bool]:
        """Within this, nobody but the calling thread gets a zygote; gives whether it is alone in time."""
        me, deadline = threading.get_ident(), time.monotonic() + timeout_s
        with self._changed:
            mine = self._changed.wait_for(lambda: self._alone is None or self._closed, timeout_s)
            if mine:
                self._alone = me
                left_s = max(0.0, deadline - time.monotonic())
                quiet = self._changed.wait_for(lambda: not self._busy or self._closed, left_s)
        try:
            yield mine and quiet
        finally:
            with self._changed:
                if self._alone == me:
                    self._alone = None
                    self._changed.notify_all()

    def wait_warm(self, timeout_s: float) -> bool:
        """Waits until no zygote is starting any more; whether that was so in time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._starting, timeout_s)

    def close(self) -> None:
        """End every zygote, also those that are in use or still starting. May be called again."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            doomed = [*self._idle, *self._busy]
            self._idle.clear()
            self._busy.clear()
            self._changed.notify_all()
        for zygote in doomed:
            zygote.kill()
        for thread in list(self._threads):
            if thread is not threading.current_thread():
                thread.join()
        self._starter.close()
        atexit.unregister(self.close)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next(self, fresh: bool) -> Zygote | None:
        """With the lock held: the idle zygote to use next. Where a fresh one is wanted, a used one makes room for it."""
        used = next((zygote for zygote in self._idle if zygote.served), None)
        unused = next((zygote for zygote in self._idle if not zygote.served), None)
        if fresh and unused is None and used is not None and not self._starting:
            self._idle.remove(used)
            self._run_thread(used.kill)
            self._fill()
        return unused if fresh else used or unused

    def _why(self) -> str:
        return f" ({self._last_failure})" if self._last_failure else ""

    def _drop_dead(self) -> None:
        """With the lock held: forget idle zygotes that have ended, and start others."""
        dead = [zygote for zygote in self._idle if not zygote.alive]
        for zygote in dead:
            self._idle.remove(zygote)
            zygote.kill()
        if dead:
            self._fill()

    def _worn(self, zygote: Zygote) -> bool:
        return zygote.served >= self._settings.recycle_after

    def _retire(self) -> None:
        """With the lock held: end one that is worn out, if enough are left without it."""
        worn = next(filter(self._worn, self._idle), None)
        if worn is not None and len(self._idle) + len(self._busy) > self.size:
            self._idle.remove(worn)
            self._run_thread(worn.kill)

    def _fill(self) -> None:
        """With the lock held: start as many zygotes as are missing, each in a thread of its own.

        Those that wear out together are replaced one by one: each serves on until another is warm.
        """
        alive = [*self._idle, *self._busy]
        wanted = max(self._target, self.size + any(map(self._worn, alive)))
        missing = wanted - len(alive) - self._starting
        for _ in range(0 if self._closed else missing):
            self._starting += 1
            self._run_thread(self._start_one)

    def _run_thread(self, work: Callable[[], None]) -> None:
        def run() -> None:
            try:
                work()
            finally:
                self._threads.discard(threading.current_thread())

        thread = threading.Thread(target=run, daemon=True)
        self._threads.add(thread)
        thread.start()

    def _start_one(self) -> None:
        zygote = None
        try:
            zygote = self._starter.start()
        except (SandboxFault, OSError) as error:
            self._last_failure = str(error)
        with self._changed:
            self._starting -= 1
            wanted = zygote is not None and not self._closed
            if zygote is not None and wanted:
                self._last_failure = ""
                self._idle.append(zygote)
                self._retire()
                self._fill()
            self._changed.notify_all()
        if zygote is not None and not wanted:
            zygote.kill()

    def _watch(self) -> None:
        """Notice zygotes that end while nobody uses them, and try again where a start failed."""
        with self._changed:
            while not self._closed:
                self._changed.wait(_RETRY_AFTER_S if self._last_failure else _WATCH_EVERY_S)
                if not self._closed:
                    self._drop_dead()
                    self._fill()


def all_backends(settings: Settings, memory_mib: int) -> list[Backend]:
    """Every backend, in the order that ``auto`` tries them."""
    return [
        DockerBackend(settings, memory_mib),
        NamespaceBackend(settings),
        LandlockBackend(settings),
        ProcessBackend(settings),
    ]


def open_pool(
    backend: str = "auto", *, size: int, memory_mib: int = 2048, settings: Settings | None = None
) -> Pool:
    """A pool over the named backend; it returns with one zygote warm. Raises NoBackend.

    ``memory_mib`` bounds a container, cells included. Fewer zygotes are kept where memory is short.
    """
    settings = settings or Settings()
    chosen = choose(backend, all_backends(settings, memory_mib))
    size = max(1, min(size, _free_mib() // _MIB_PER_ZYGOTE))
    try:
        return Pool(chosen, size=size, settings=settings)
    except SandboxFault as fault:
        raise NoBackend({chosen.name: Reason(str(fault), f"无法启动：{fault}")}) from fault


def _free_mib() -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as meminfo:
            return next(int(line.split()[1]) // 1024 for line in meminfo if line.startswith("MemAvailable"))
    except OSError:
        return _MIB_PER_ZYGOTE
