"""Cases that a learner sees in full: the batches and the options of the statement."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from . import spies

FOUR = [
    spies.batch("two new requests", "prefill", (0, 6), (4, 7)),
    spies.batch("all are generating", "decode", (8, 9), (3, 4)),
    spies.batch("a prompt of one token", "prefill", (0, 1)),
    spies.batch("the last chunk", "prefill", (12, 13)),
]


@case(part="hybrid", points=5)
def test_four_batches(submission: Any) -> None:
    ops: list[spies.Op] = [["prepare_metadata", 0, 0], ["forward", 0, 3], ["prepare_metadata", 1, 0]]
    ops += [["forward", 1, 4], ["init_capture_graph", 1, 128], ["prepare_for_capture", 1, 0]]
    ops += [["prepare_for_replay", 1, 0]]
    spies.run(submission, FOUR, ops)
    one_token: list[spies.Op] = [["prepare_metadata", 2, 0], ["forward", 2, 5], ["prepare_metadata", 3, 0]]
    spies.run(submission, FOUR, [*one_token, ["forward", 3, 6]], because="phase-by-lengths")


@case(part="create", points=5)
def test_options(submission: Any, rng: Rng) -> None:
    spies.create(submission, rng, ["torch", "fa,fi", "fi,fi", "fi,typo"], ["torch", "fa", "fi"])
