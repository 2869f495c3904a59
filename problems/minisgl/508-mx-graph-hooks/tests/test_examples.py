"""Cases that a learner sees in full: sizes 1, 2, 4 are captured, then two batches replayed."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .hooks import start
from .playing import play


@case(part="capture", points=5)
def test_capture_book(submission: Any, rng: Rng) -> None:
    play(submission, [start(rng, 6, [1, 2, 4])])


@case(part="replay", points=5, means={"RuntimeError": "copies-whole-width"})
def test_replay_book(submission: Any, rng: Rng) -> None:
    """Three requests padded to four; then two, whose rows were written wider before."""
    four = [[16, 17, 18, 19, 20], [40, 41, 0, 0, 0], [30, 31, 32, 0, 0], [99, 0, 0, 0, 0]]
    batches = [
        {"op": "replay", "lens": [5, 2, 3, 1], "table": four, "queries": 1},
        {"op": "replay", "lens": [3, 3], "table": [[50, 51, 52], [60, 61, 62]], "queries": 1},
    ]
    play(submission, [start(rng, 6, [1, 2, 4]) + batches])
