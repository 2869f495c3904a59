"""Cases that a learner sees in full: the statement's two answers, and two requests at once."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from . import streams
from .vocab import Vocabulary

BYTES = Vocabulary("bytes", [b"<eos>", b"Hi", b" ", "你".encode()[:1], "你".encode()[1:], b"!"], [], [])
SPACES = Vocabulary("spaces", [b"<eos>", "▁Hello".encode(), "▁wor".encode(), b"ld", b"!"], [], [])


@case(part="text", points=5)
def test_text_book(submission: Any, rng: Rng) -> None:
    """A character in two tokens, and spaces that depend on what is before them."""
    streams.play(submission, BYTES, [streams.single([1, 2, 3, 4], 0)])
    streams.play(submission, SPACES, [streams.single([1, 2, 3], 0, 7)])


@case(part="batch", points=4)
def test_batch_book(submission: Any, rng: Rng) -> None:
    """Two requests: two tokens of one in a batch; both end by their length, one within a character."""
    steps = [
        [[8, 1, False], [9, 1, False]],
        [[8, 2, False], [8, 3, False]],
        [[9, 3, False], [8, 4, False]],
        [[8, 5, True], [9, 3, True]],
    ]
    streams.play(submission, BYTES, [[{"op": "step", "msgs": msgs} for msgs in steps]])
