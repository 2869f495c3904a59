"""Cases that a learner sees in full: the requests of the statement."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from . import layer, stale

STATEMENT = [(0, 3), (4, 6), (7, 8)]
SLOTS = [12, 3, 4, *(30, 31, 5, 17, 40, 9), *(22, 23, 24, 25, 1, 2, 33, 21)]  # of A, B and C, prefix first


@case(part="attn_layer", points=4)
def test_layer_statement(submission: Any, rng: Rng) -> None:
    layer.run(submission, layer.make(rng, STATEMENT, slots=SLOTS))


@case(part="stale_keys", points=4)
def test_stale_statement(submission: Any) -> None:
    stale.verify(submission.stale_keys(STATEMENT), STATEMENT)
