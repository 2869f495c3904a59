"""Cases that a learner sees in full: the book's two requests on pages of 4."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case
from judge.grading.seeds import Rng

from .pages import NUMBERS, Batch, verify


def book() -> Batch:
    """Slots from 16 and from 40, lengths 5 and 6, 3 and 5 of them cached."""
    table = torch.full((3, 12), -1, dtype=torch.int32)
    table[2, :8] = torch.arange(16, 24)
    table[0, :8] = torch.arange(40, 48)
    return Batch([(2, 3, 5), (0, 5, 6)], table, 4)


@case(part="lengths", points=4)
def test_lengths_book(submission: Any, rng: Rng) -> None:
    batch = book()
    verify(submission.fa_metadata(*batch), batch, ("cu_seqlens_q", "cu_seqlens_k", "cache_seqlens", *NUMBERS))


@case(part="pages", points=6)
def test_pages_book(submission: Any, rng: Rng) -> None:
    batch = book()
    verify(submission.fa_metadata(*batch), batch, ("page_table",))
