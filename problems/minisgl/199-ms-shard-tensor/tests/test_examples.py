"""Cases that a learner sees in full: four divisions, and one layer on two ranks."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .dividing import divide
from .shards import all_ranks, verify


@case(part="divide", points=4, means={"ValueError": "copies-ignored"})
def test_divide_examples(submission: Any, rng: Rng) -> None:
    divide(submission, [(16, 4, False), (2, 4, True), (3, 2, False), (8, 2, True)])


@case(part="shard", points=8)
def test_shard_book(submission: Any, rng: Rng) -> None:
    """q and o of one layer on two ranks; k with two heads on four."""
    calls = all_ranks(rng, "model.layers.0.self_attn.q_proj.weight", (8, 4), 2, 2)
    calls += all_ranks(rng, "model.layers.0.self_attn.o_proj.weight", (4, 8), 2, 2)
    calls += all_ranks(rng, "model.layers.0.self_attn.k_proj.weight", (4, 4), 4, 2)
    verify(submission, calls)
