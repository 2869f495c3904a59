"""Plays tokens on your detokenizer and tells what came of each step; the comparison is made elsewhere."""

from __future__ import annotations

from typing import Any

import solution


class Vocabulary:
    """Token ids are places in ``pieces``, counted from ``first``. What joining does depends on ``kind``."""

    def __init__(self, kind: str, pieces: list[bytes], first: int, eos: int) -> None:
        self.kind, self.pieces, self.first, self.eos = kind, pieces, first, eos
        self.longest = self.tokens = 0

    def decode(self, ids: list[int]) -> str:
        """The text of ``ids``; counts how many there were."""
        self.longest, self.tokens = max(self.longest, len(ids)), self.tokens + len(ids)
        text = b"".join(self.pieces[token - self.first] for token in ids).decode("utf-8", errors="replace")
        if self.kind == "spaces":
            return text.replace("▁", " ").removeprefix(" ")
        if self.kind == "words":
            return text.replace(" ##", "").removeprefix(" ")
        return text


def replay(config: dict[str, Any], runs: list[list[dict[str, Any]]]) -> list[list[Any]]:
    """Every run on a detokenizer of its own: texts and how many requests have state, after each step."""
    return [_replay(config, run) for run in runs]


def _replay(config: dict[str, Any], run: list[dict[str, Any]]) -> list[Any]:
    vocabulary = Vocabulary(**config)
    detokenizer = solution.Detokenizer(vocabulary.decode, vocabulary.eos)
    results = []
    for step in run:
        texts = detokenizer.step([tuple(msg) for msg in step["msgs"]])
        results.append([texts, detokenizer.active])
    return results


def work(config: dict[str, Any], answers: list[list[int]]) -> list[Any]:
    """The joined text of each answer, all of one length; the longest list that was decoded, and the tokens of all."""
    vocabulary = Vocabulary(**config)
    detokenizer = solution.Detokenizer(vocabulary.decode, vocabulary.eos)
    size = len(answers[0])
    texts = [""] * len(answers)
    for place in range(size):
        step = [(uid, ids[place], place + 1 == size) for uid, ids in enumerate(answers)]
        texts = [before + text for before, text in zip(texts, detokenizer.step(step), strict=True)]
    return [texts, vocabulary.longest, vocabulary.tokens]
