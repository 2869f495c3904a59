"""How often a login may be tried (few times for one account, many for one address, behind which a class may sit) and
how often one user may have something judged."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

WINDOW_S = 10 * 60
PER_ACCOUNT = 10
PER_ADDRESS = 300
KEYS_MAX = 20_000  # names that nobody has are counted too; the oldest are forgotten first


JUDGED_MOST = 30  # runs and submissions of one user
JUDGED_WINDOW_S = 60.0


class Pace:
    """So many times within a window of time for each key, in this process."""

    def __init__(self, most: int, window_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._window_s, self._clock = most, window_s, clock
        self._lock = threading.Lock()
        self._times: dict[int, deque[float]] = {}

    def take(self, key: int) -> int:
        """Count one more time, or the whole seconds to wait until it may be."""
        now = self._clock()
        with self._lock:
            times = self._times.setdefault(key, deque())
            while times and times[0] <= now - self._window_s:
                times.popleft()
            if len(times) >= self._most:
                return int(times[0] + self._window_s - now) + 1
            times.append(now)
        return 0


class Limiter:
    """Counts tries that did not succeed, in this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._tries: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()

    def begin(self, account: str, address: str) -> int:
        """Count a try before it is made; the seconds to wait, 0 where it may go on."""
        now = self._clock()
        with self._lock:
            wait_s = max(
                self._wait(("account", account[:80]), PER_ACCOUNT, now),
                self._wait(("address", address), PER_ADDRESS, now),
            )
            if wait_s:
                return wait_s
            for key in (("account", account[:80]), ("address", address)):
                self._tries.setdefault(key, deque()).append(now)
                self._tries.move_to_end(key)
            while len(self._tries) > KEYS_MAX:
                self._tries.popitem(last=False)
        return 0

    def succeed(self, account: str, address: str) -> None:
        """Forget an account's tries, and this one of the address."""
        with self._lock:
            self._tries.pop(("account", account[:80]), None)
            if tries := self._tries.get(("address", address)):
                tries.pop()

    def _wait(self, key: tuple[str, str], most: int, now: float) -> int:
        tries = self._tries.get(key, deque())
        while tries and tries[0] <= now - WINDOW_S:
            tries.popleft()
        return int(tries[0] + WINDOW_S - now) + 1 if len(tries) >= most else 0
