"""Cases that a learner sees in full: two requests with one prompt, prefilled in one batch, pages of 4."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng
from judge.grading.stateful import Run

from .worlds import play

IDS = [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
BOTH: Run = [
    {"op": "admit", "uid": 1, "ids": IDS},
    {"op": "admit", "uid": 2, "ids": IDS},
    {"op": "token", "uid": 1, "ids": [31]},
    {"op": "token", "uid": 2, "ids": [32]},
]


@case(part="finished", points=5)
def test_finished_book(submission: Any, rng: Rng) -> None:
    """Both end after their first token."""
    play(submission, 4, [[*BOTH, *({"op": "hand_over", "uid": uid, "finished": True} for uid in (1, 2))]])


@case(part="running", points=5)
def test_running_book(submission: Any, rng: Rng) -> None:
    """Both live on."""
    play(submission, 4, [[*BOTH, *({"op": "hand_over", "uid": uid, "finished": False} for uid in (1, 2))]])
