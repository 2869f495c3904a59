"""Cases that a learner sees in full: the statement's two requests, and one that is alone."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .loops import play, script


@case(part="overlap", points=6)
def test_overlap_book(submission: Any, rng: Rng) -> None:
    play(submission, 7, [script([[1, 3, [11, 12, 13, 14]], [2, 5, [21, 7, 23, 24]]])])


@case(part="ending", points=5)
def test_ending_alone(submission: Any, rng: Rng) -> None:
    """One token is all that it may have; then one that ends with its second."""
    play(submission, 7, [script([[4, 1, [41, 42, 43]]]), script([[5, 9, [51, 7, 53, 54]]], [], [])])
