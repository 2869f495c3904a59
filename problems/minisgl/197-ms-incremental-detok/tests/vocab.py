"""Three small vocabularies, in which tokens join as in byte-level BPE, SentencePiece and WordPiece, and texts of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from judge.grading.seeds import Rng

_CHARS = ("你", "好", "缓", "存", "é", "ß", "🙂", "한")
_WORDS = {
    "bytes": ["the", " cache", " hit", "s", ",", "\n", "流式", "x你", " ", "\ufffd"],
    "spaces": ["▁the", "▁cache", "s", "▁", "▁▁", ",", "流", "▁前缀", "\n"],
    "words": [" play", " the", " ##ing", " ##s", " 流", " cache", " ##d"],
}


@dataclass(frozen=True)
class Vocabulary:
    """``pieces[i]``: the bytes of token first + i; ``groups``: tokens that make characters together."""

    kind: str
    pieces: list[bytes]
    groups: list[list[int]]
    strays: list[int]  # tokens that may leave a character open, or are none
    first: int = 0
    eos: int = 0

    def config(self) -> dict[str, Any]:
        """As the harness takes it."""
        return {"kind": self.kind, "pieces": self.pieces, "first": self.first, "eos": self.eos}

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``."""
        text = b"".join(self.pieces[token - self.first] for token in ids).decode("utf-8", errors="replace")
        if self.kind == "spaces":
            return text.replace("▁", " ").removeprefix(" ")
        return text.replace(" ##", "").removeprefix(" ") if self.kind == "words" else text


def vocabulary(kind: str) -> Vocabulary:
    """One of the three. The first token has no text; the third, whose text is ``<eos>``, ends a request."""
    first = 1000
    pieces, groups = [b"", b"!", b"<eos>"], [[first], [first + 1]]

    def add(*parts: bytes) -> None:
        groups.append(list(range(first + len(pieces), first + len(pieces) + len(parts))))
        pieces.extend(parts)

    for word in _WORDS[kind]:
        add(word.encode())
    strays: list[int] = []
    if kind != "words":
        for char in _CHARS:
            data = char.encode()
            add(*(data[i : i + 1] for i in range(len(data))))
            strays.append(groups[-1][-1])  # a byte that continues what is not there
        add("a你".encode()[:-1], "你好".encode()[2:])  # text and an open character; its end and more text
        add(" 存".encode()[:-2], "存".encode()[1:2], "存s".encode()[2:])
        strays += [groups[-1][-1], groups[-1][0], groups[-2][0]]
    return Vocabulary(kind, pieces, groups, strays, first, first + 2)


def tokens(rng: Rng, words: Vocabulary, count: int, strays: int = 10) -> list[int]:
    """About ``count`` tokens, mostly of whole characters; one in ``strays`` steps leaves something broken."""
    made: list[int] = []
    while len(made) < count:
        broken = words.strays and strays and int(rng.integers(strays)) == 0
        made += [rng.pick(words.strays)] if broken else rng.pick(words.groups)
    return made


Drawer = Callable[[Any], dict[str, Any]]


def drawer(rng: Rng, words: Vocabulary, uids: int, most: int) -> Drawer:
    """Draws steps for up to ``uids`` requests at once, ``most`` messages a step."""
    planned: dict[int, list[int]] = {}

    def message(uid: int) -> list[Any]:
        left = planned.setdefault(uid, [])
        if not left:
            left.extend(tokens(rng, words, int(rng.integers(1, 6)), 6))
        token, ending = left.pop(0), int(rng.integers(12))
        if ending > 1:
            return [uid, words.eos if ending == 2 else token, False]
        planned.pop(uid)  # by length, perhaps within a character, or by the end of the text
        return [uid, token if ending else words.eos, True]

    def draw(_model: Any) -> dict[str, Any]:
        chosen = [int(rng.integers(uids)) for _ in range(int(rng.integers(1, most + 1)))]
        return {"op": "step", "msgs": [message(uid) for uid in chosen]}

    return draw
