"""Frames made and read in memory."""

from __future__ import annotations

import json
import struct
from typing import Any

from sandbox.cell.wire import Frame, pack


class Reader:
    """Fills views from fixed bytes; EOFError at their end."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __call__(self, views: list[memoryview]) -> None:
        for view in views:
            if len(view) > len(self.data):
                raise EOFError
            view[:], self.data = self.data[: len(view)], self.data[len(view) :]


def raw(envelope: Any, body: bytes = b"", **changes: int) -> bytes:
    """A frame with any envelope and lengths."""
    text = envelope if isinstance(envelope, bytes) else json.dumps(envelope).encode()
    lengths = changes.get("json", len(text)), changes.get("data", len(body))
    return struct.pack(">IQ", *lengths) + text + body


def packed(frame: Frame) -> bytes:
    return b"".join(bytes(view) for view in pack(frame))
