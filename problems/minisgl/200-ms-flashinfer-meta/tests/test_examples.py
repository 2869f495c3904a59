"""Cases that a learner sees in full: the book's two requests on pages of 4."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case
from judge.grading.seeds import Rng

from .csr import Batch, verify
from .paged import attend


def book() -> Batch:
    """Slots from 16 and from 40, lengths 5 and 8, 1 and 7 of them cached."""
    table = torch.full((3, 12), -1, dtype=torch.int32)
    table[2, :8] = torch.tensor([16, 17, 18, 19, 8, 9, 10, 11])
    table[0, :8] = torch.tensor([40, 41, 42, 43, 4, 5, 6, 7])
    return Batch([(2, 1, 5), (0, 7, 8)], table, 4)


@case(part="meta", points=6)
def test_meta_book(submission: Any, rng: Rng) -> None:
    batch = book()
    verify(submission.flashinfer_metadata(*batch), batch)


@case(part="attention", points=4)
def test_attention_book(submission: Any, rng: Rng) -> None:
    """Four query heads share two KV heads; the rest of a last page holds NaN."""
    attend(submission, rng, book(), 4, 2, 8, strangers=False)
