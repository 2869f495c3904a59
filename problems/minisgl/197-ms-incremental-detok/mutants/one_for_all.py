# expects: one-for-all
"""All requests share one state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

INCOMPLETE = "\ufffd"


@dataclass
class Stream:
    """One request: the text of ids[:read] is out, and ids[start:read] is the context of what follows."""

    ids: list[int] = field(default_factory=list)
    start: int = 0
    read: int = 0


class Detokenizer:
    """Turns tokens that come one by one into text that can be sent, for many requests at once."""

    def __init__(self, decode: Callable[[list[int]], str], eos_id: int) -> None:
        self.decode, self.eos_id = decode, eos_id
        self.streams: dict[int, Stream] = {}

    @property
    def active(self) -> int:
        """How many requests it holds state of."""
        return len(self.streams)

    def step(self, msgs: list[tuple[int, int, bool]]) -> list[str]:
        """The new text of each message (uid, token, finished)."""
        return [self.one_step(*msg) for msg in msgs]

    def one_step(self, uid: int, token: int, finished: bool) -> str:
        """The new text of one request; the last one is given whole."""
        stream = self.streams.setdefault(0, Stream())
        if not (finished and token == self.eos_id):
            stream.ids.append(token)
        known = self.decode(stream.ids[stream.start : stream.read])
        text = self.decode(stream.ids[stream.start :])[len(known) :]
        if finished:
            del self.streams[0]
        elif text.endswith(INCOMPLETE):
            return ""
        elif text:  # a token without text is no context
            stream.start, stream.read = stream.read, len(stream.ids)
        return text
