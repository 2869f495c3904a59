"""Cases that a learner sees in full: the statement's four tokens and four experts."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case
from judge.grading.seeds import Rng

from . import blocks, grouped

IDS = torch.tensor([[2, 0], [0, 3], [2, 0], [0, 2]], dtype=torch.int32)


@case(part="align", points=5)
def test_align_book(submission: Any, rng: Rng) -> None:
    blocks.verify(submission.moe_align_block_size(IDS, 4, 4), IDS, 4, 4)


@case(part="grouped", points=5, means={"IndexError": "padding-read"})
def test_grouped_book(submission: Any, rng: Rng) -> None:
    x = torch.tensor([[1.0, 2.0], [0.0, 1.0], [3.0, 1.0], [2.0, -1.0]])
    w = torch.tensor([[[1.0, 2.0], [0.0, 1.0]], [[9.0, 9.0], [9.0, 9.0]], [[0.0, 1.0], [1.0, 0.0]], [[2.0, 0.0], [3.0, 2.0]]])  # fmt: skip
    weights = torch.tensor([[0.5, 0.25], [0.5, 0.5], [0.75, 0.25], [0.5, 0.25]])
    call = grouped.Call(x, w, IDS, weights, 4)
    grouped.verify(submission.fused_moe_grouped(*call), call)
