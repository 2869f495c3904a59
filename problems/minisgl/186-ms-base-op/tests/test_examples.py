"""Cases that a learner sees in full: two small blocks in a list."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .loading import accepted, others
from .trees import block, op, ops, verify, weight


@case(part="names", points=6)
def test_names_book(submission: Any, rng: Rng) -> None:
    verify(submission, op(layers=ops([block(rng), block(rng)]), norm=weight(rng.tensor(2))))


@case(part="load", points=5, means={"TypeError": "dict-needed", "AttributeError": "dict-needed"})
def test_load_book(submission: Any, rng: Rng) -> None:
    told = op(layers=ops([block(rng), block(rng)]), norm=weight(rng.tensor(2)))
    accepted(submission, told, others(rng, told))
