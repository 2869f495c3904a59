"""Cases that a learner sees in full: three tokens of one head; offsets and width of a small model."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case
from judge.grading.seeds import Rng

from .launches import offsets, view, widths
from .pools import Call, store


@case(part="store", points=6)
def test_store_book(submission: Any, rng: Rng) -> None:
    """A projection of one query head, one KV head of two elements; layer 0 of one."""
    qkv = torch.tensor([[9.0, 9, 1, 2, -1, -2], [9, 9, 3, 4, -3, -4], [9, 9, 5, 6, -5, -6]])
    pool = torch.zeros(2, 1, 6, 1, 2)
    store(submission, Call(qkv, 1, 2, "split", pool, 0, "apart", torch.tensor([4, 0, 5], dtype=torch.int32)))


@case(part="launch", points=5)
def test_launch_book(submission: Any, rng: Rng) -> None:
    """k of Qwen3-0.6B within its merged projection; a cache whose rows lie end to end."""
    k, cache = view(3, 4096, 8, 128, 2048), view(100, 1024, 8, 128)
    offsets(submission, k, cache, torch.tensor([16, 17, 40], dtype=torch.int32))
    widths(submission, [(k, cache), (view(3, 38, 3, 4, 2), view(9, 12, 3, 4))])
