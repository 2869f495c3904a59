"""Cases that a learner sees in full: the book's request, and one that cannot be."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng
from judge.grading.stateful import Run

from .requests import attempt, play

CREATE = {"op": "create", "ids": [11, 12, 13, 14, 15], "cached_len": 2, "output_len": 3}
STEPS: Run = [
    {"op": "complete"},
    {"op": "append", "token": 21, "dtype": "int32"},
    {"op": "complete"},
    {"op": "append", "token": 22, "dtype": "int32"},
    {"op": "complete"},
    {"op": "append", "token": 23, "dtype": "int32"},
]


@case(part="lengths", points=6)
def test_lengths_book(submission: Any, rng: Rng) -> None:
    """5 tokens, 2 of them cached, 3 to come."""
    play(submission, [[CREATE, *STEPS]])


@case(part="tokens", points=4)
def test_tokens_refused(submission: Any, rng: Rng) -> None:
    """A prompt that is cached as a whole has nothing to compute."""
    play(submission, [[attempt(5, 5, 3), CREATE, *STEPS[:2]]])
