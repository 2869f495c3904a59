"""Text of tokens that come one by one: only what later tokens cannot change is given out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from minisgl.message import DetokenizeMsg

REPLACEMENT = "\ufffd"  # what a decoder writes for bytes that are no character, or not yet one
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F))


class Tokenizer(Protocol):
    """What is needed of a Hugging Face tokenizer."""

    eos_token_id: int

    def decode(self, token_ids: list[int], /) -> str:
        """The text of some tokens."""


@dataclass
class DecodeStatus:
    """One request. The text of ids[:read] is out, and so are ``sent`` characters of what follows it."""

    ids: list[int] = field(default_factory=list)
    surr: int = (
        0  # where decoding begins: a little before ``read``, since tokens join with what is before them
    )
    read: int = 0
    sent: int = 0


class DetokenizeManager:
    """Detokenizes many requests, each by its own tokens."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.decode_map: dict[int, DecodeStatus] = {}

    def detokenize(self, msgs: Sequence[DetokenizeMsg]) -> list[str]:
        """The new text of each message. A request may have several: they are taken one after the other."""
        return [self._next_text(msg) for msg in msgs]

    def _next_text(self, msg: DetokenizeMsg) -> str:
        status = self.decode_map.setdefault(msg.uid, DecodeStatus())
        if not (msg.finished and msg.next_token == self.tokenizer.eos_token_id):
            status.ids.append(msg.next_token)
        known = self.tokenizer.decode(status.ids[status.surr : status.read])
        text = self.tokenizer.decode(status.ids[status.surr :])[len(known) :]
        new = text[status.sent :]
        if msg.finished:
            del self.decode_map[msg.uid]  # nothing will complete it any more: the rest goes out as it is
        elif text.endswith(REPLACEMENT):
            new = find_printable_text(text)[status.sent :]
            status.sent += len(new)
        elif text:
            status.surr, status.read, status.sent = status.read, len(status.ids), 0
        return new


def find_printable_text(text: str) -> str:
    """The beginning of ``text`` that later tokens will not change: up to a newline, an ideograph or a space."""
    if text.endswith("\n") or (text and _is_ideograph(text[-1])):
        return text
    if len(text) > 1 and _is_ideograph(text[-2]):
        return text[:-1]
    return text[: text.rfind(" ") + 1]


def _is_ideograph(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in _IDEOGRAPHS)
