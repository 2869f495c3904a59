"""Cases that a learner sees in full: the statement's two rounds, and one in which the pool is full."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .queue_model import arrive, plan, play


@case(part="admission", points=5)
def test_admission_book(submission: Any, rng: Rng) -> None:
    """The second request does not fit beside the first, and nobody overtakes it; two that do not fit alone."""
    limits = plan(100, 10, 30, 4)
    three = [arrive(1, 6, 4), arrive(2, 8, 8), arrive(3, 2, 1)]
    play(submission, [[*three, limits], [arrive(1, 6, 20), limits], [arrive(1, 25, 1), limits]])


@case(part="chunking", points=5)
def test_chunking_book(submission: Any, rng: Rng) -> None:
    """A budget of 8: the second prompt is cut, and goes first in the next round."""
    requests = [arrive(1, 7, 4, 2), arrive(2, 10, 5), arrive(3, 3, 2)]
    play(submission, [[*requests, plan(8, 0, 100, 4), plan(8, 9, 100, 2)]])
