"""What a cell prints: read while we wait, counted against its limit, head and tail kept for showing."""

from __future__ import annotations

import os

_CHUNK = 1 << 16
_HEAD = _TAIL = 8 << 10


class Output:
    """Reads the non-blocking end of an output pipe [fd]; bytes are counted over the judgement, kept per case."""

    def __init__(self, limit_kib: int) -> None:
        self._limit = limit_kib << 10
        self._total = 0
        self.start_case()

    @property
    def over_limit(self) -> bool:
        """Whether more was printed than the judgement may."""
        return self._total > self._limit

    def start_case(self) -> None:
        """Forgets what was kept."""
        self._head = bytearray()
        self._tail = bytearray()
        self._case_bytes = 0

    def drain(self, fd: int) -> bool:
        """Reads what is there, up to a little over the limit; False once every writer has closed the pipe."""
        while not self.over_limit:
            try:
                chunk = os.read(fd, _CHUNK)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            self._keep(chunk)
        return True

    def _keep(self, chunk: bytes) -> None:
        self._total += len(chunk)
        self._case_bytes += len(chunk)
        room = _HEAD - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        del self._tail[:-_TAIL]

    def case_text(self) -> tuple[str, bool]:
        """The case's output as text without NUL, and whether its middle was cut out."""
        cut = self._case_bytes > len(self._head) + len(self._tail)
        gap = b"\n...\n" if cut else b""
        text = bytes(self._head + gap + self._tail).decode("utf-8", "replace")
        return text.replace("\0", ""), cut
