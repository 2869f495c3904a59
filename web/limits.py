"""How often a login may be tried (few times for one account, many for one address, behind which a class may sit) and
how often one user may have something judged."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable

WINDOW_S = 10 * 60
PER_ACCOUNT = 10
PER_ADDRESS = 300
KEYS_MAX = 20_000  # names that nobody has are counted too; the oldest are forgotten first

JUDGED_MOST = 30  # runs and submissions of one user
JUDGED_WINDOW_S = 60.0

Clock = Callable[[], float]


class _Counts:
    """Up to ``most`` times within a window for each key. Its users lock it."""

    def __init__(self, most: int, window_s: float) -> None:
        self._most, self._window_s = most, window_s
        self._times: OrderedDict[Hashable, deque[float]] = OrderedDict()

    def wait_s(self, key: Hashable, now: float) -> int:
        """Whole seconds until the key may be counted once more; 0: it may now."""
        times = self._times.get(key, deque())
        while times and times[0] <= now - self._window_s:
            times.popleft()
        return int(times[0] + self._window_s - now) + 1 if len(times) >= self._most else 0

    def count(self, key: Hashable, now: float) -> None:
        """Count the key once more."""
        self._times.setdefault(key, deque()).append(now)
        self._times.move_to_end(key)
        while len(self._times) > KEYS_MAX:
            self._times.popitem(last=False)

    def take_back(self, key: Hashable) -> None:
        """The last time of a key is not counted."""
        if times := self._times.get(key):
            times.pop()

    def forget(self, key: Hashable) -> None:
        """None of a key's times is counted."""
        self._times.pop(key, None)


class Pace:
    """So many times within a window of time for each key, in this process."""

    def __init__(self, most: int, window_s: float, clock: Clock = time.monotonic) -> None:
        self._counts, self._clock, self._lock = _Counts(most, window_s), clock, threading.Lock()

    def take(self, key: int) -> int:
        """Count one more time, or the whole seconds to wait until it may be."""
        now = self._clock()
        with self._lock:
            wait_s = self._counts.wait_s(key, now)
            if not wait_s:
                self._counts.count(key, now)
            return wait_s


class Limiter:
    """Counts tries that did not succeed, in this process."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._accounts, self._addresses = _Counts(PER_ACCOUNT, WINDOW_S), _Counts(PER_ADDRESS, WINDOW_S)

    def begin(self, account: str, address: str) -> int:
        """Count a try before it is made; the seconds to wait, 0 where it may go on."""
        now, account = self._clock(), account[:80]
        with self._lock:
            wait_s = max(self._accounts.wait_s(account, now), self._addresses.wait_s(address, now))
            if not wait_s:
                self._accounts.count(account, now)
                self._addresses.count(address, now)
            return wait_s

    def succeed(self, account: str, address: str) -> None:
        """Forget an account's tries, and this one of the address."""
        with self._lock:
            self._accounts.forget(account[:80])
            self._addresses.take_back(address)
