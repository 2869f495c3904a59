"""Cases that a learner sees in full: the requests of the statement."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from . import layer, stale

STATEMENT = [(0, 3), (4, 6), (7, 8)]


@case(part="attn_layer", points=4)
def test_layer_statement(submission: Any, rng: Rng) -> None:
    layer.run(submission, layer.make(rng, STATEMENT))


@case(part="stale_keys", points=4)
def test_stale_statement(submission: Any) -> None:
    stale.verify(submission.stale_keys(STATEMENT), STATEMENT)
