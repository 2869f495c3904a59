"""How often a login may be tried: few times for one account, many for one address, behind which a class may sit."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

WINDOW_S = 10 * 60
PER_ACCOUNT = 10
PER_ADDRESS = 300
KEYS_MAX = 20_000  # names that nobody has are counted too; the oldest are forgotten first


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
