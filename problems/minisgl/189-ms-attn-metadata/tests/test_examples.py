"""Cases that a learner sees in full: between them they show all six rules of the statement."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case
from judge.grading.seeds import Rng

from . import attention, batches, metadata
from .depict import attend


@case(part="prepare_metadata", points=2)
def test_prepare_book(submission: Any, rng: Rng) -> None:
    """The chapter's batch: a prefill, a prefill behind a cached prefix, a decode."""
    batch = batches.book()
    metadata.verify(submission.prepare_metadata(batch.reqs, batch.padded, batch.table), batch)


@case(part="prepare_metadata", points=2)
def test_prepare_padded_decode(submission: Any, rng: Rng) -> None:
    """Three decoding requests padded to five; unused cells hold -1 and numbers that are no slots."""
    table = torch.tensor(
        [
            [9, 10, 11, 12, 13, -1, -1, 7000000],
            [-1] * 8,
            [63] * 8,
            [30, 31, 5, 6, 32, 33, 34, -1],
            [20, 21, -1, 0, 0, -1, -1, -1],
            [-1] * 8,
        ],
        dtype=torch.int32,
    )
    reqs = [(3, 6, 7), (0, 4, 5), (4, 1, 2)]
    batch = batches.Batch(reqs, [*reqs, (2, 0, 1), (2, 0, 1)], table, slots=64)
    metadata.verify(submission.prepare_metadata(batch.reqs, batch.padded, batch.table), batch)


@case(part="forward", points=2, means={"KeyError": "undocumented-key"})
def test_forward_book(submission: Any, rng: Rng) -> None:
    """The chapter's batch with 6 query heads over 3 KV heads in float32."""
    attend(submission, attention.inputs(rng, batches.book(), 6, 3, 16))


@case(part="forward", points=2)
def test_forward_padded_decode(submission: Any, rng: Rng) -> None:
    """Two requests and two dummies in float16; slots that nobody owns hold NaN, unused cells -1."""
    batch = batches.make(rng, [(63, 64), (49, 50)], dummies=2, junk=(-1,))
    call = attention.inputs(rng, batch, 4, 2, 32, dtype=torch.float16, scale=4.0, poison=float("nan"))
    attend(submission, call, because="half-precision", nan="poison-read")
