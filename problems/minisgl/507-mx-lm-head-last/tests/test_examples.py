"""Cases that a learner sees in full: the chapter's batch, and a padded decode."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .heads import make, run


@case(part="prefill", points=6, means={"IndexError": "one-past"})
def test_prefill_book(submission: Any, rng: Rng) -> None:
    """Requests A, B, C with 6, 3 and 1 queries."""
    run(submission, make(rng, [6, 3, 1], prefill=True, dim=4, vocab=5))


@case(part="decode", points=4)
def test_decode_padded(submission: Any, rng: Rng) -> None:
    """Three requests, padded to four for a captured graph."""
    run(submission, make(rng, [1, 1, 1], prefill=False, dummies=1, dim=4, vocab=5))
