"""Hidden cases: blocks and sums of random routings, then what was made to see one mistake."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from . import blocks, grouped
from .blocks import routed


@case(part="align", points=6, means={"RuntimeError": "experts-without-pairs"})
@pytest.mark.parametrize("block", [1, 4, 16])
def test_align_random(submission: Any, rng: Rng, block: int) -> None:
    ids = routed(rng, int(rng.integers(20, 40)), 3, 9)
    blocks.verify(submission.moe_align_block_size(ids, block, 9), ids, block, 9)


@case(part="align", points=4, means={"RE": "experts-without-pairs"})
def test_align_many_experts_few_tokens(submission: Any, rng: Rng) -> None:
    """A decode of 3 tokens on 64 experts: most have no pair, the last ones too."""
    ids = routed(rng, 3, 4, 50)
    blocks.verify(submission.moe_align_block_size(ids, 8, 64), ids, 8, 64)


@case(part="align", points=4)
def test_align_exactly_full(submission: Any, rng: Rng) -> None:
    """Each expert has whole blocks already; ids are int64, as topk gives them."""
    ids = torch.from_numpy(rng.permutation([0] * 8 + [2] * 4 + [4] * 12)).view(12, 2)
    blocks.verify(submission.moe_align_block_size(ids, 4, 5), ids, 4, 5)


@case(part="align", points=5, means={"RE": "nobody-fails"})
def test_align_nobody(submission: Any, rng: Rng) -> None:
    """The rows that pad a captured batch have no expert."""
    ids = routed(rng, 14, 2, 6)
    ids[10:] = -1
    ids[int(rng.integers(0, 10)), 1] = -1
    blocks.verify(submission.moe_align_block_size(ids, 4, 6), ids, 4, 6, because="nobody-counted")


@case(part="align", points=4, means={"RE": "empty-fails"})
def test_align_no_tokens(submission: Any, rng: Rng) -> None:
    """No token at all; then one."""
    for tokens in (0, 1):
        ids = routed(rng, tokens, 2, 6)
        blocks.verify(submission.moe_align_block_size(ids, 4, 6), ids, 4, 6, because="empty-fails")


@case(part="align", points=4)
def test_align_leaves_inputs_alone(submission: Any, rng: Rng) -> None:
    ids = routed(rng, 9, 3, 6)
    ids[4] = -1
    got, after, *_ = submission.harness.call_and_show("moe_align_block_size", ids, 4, 6)
    blocks.verify(got, ids, 4, 6)
    check.tensor(after, like=ids, field="topk_ids", mistake="inputs-changed")


@case(part="align", points=6, means={"TLE": "python-loop"})
def test_align_many_pairs(submission: Any, rng: Rng) -> None:
    """A prefill of 65536 pairs."""
    ids = rng.ints(0, 64, 16384, 4)
    blocks.verify(submission.moe_align_block_size(ids, 64, 64), ids, 64, 64)


@case(part="grouped", points=5, means={"IndexError": "padding-read"})
@pytest.mark.parametrize("block", [1, 4, 16])
def test_grouped_random(submission: Any, rng: Rng, block: int) -> None:
    call = grouped.make(rng, routed(rng, 20, 3, 7), 7, 12, 9, block)
    grouped.verify(submission.fused_moe_grouped(*call), call)


@case(part="grouped", points=4)
def test_grouped_same_expert_twice(submission: Any, rng: Rng) -> None:
    """Two logical experts may live in one: its pairs of one token meet in one block."""
    ids = routed(rng, 12, 4, 7)
    ids[:, 2] = ids[:, 0]
    call = grouped.make(rng, ids, 7, 8, 8, 32)
    grouped.verify(submission.fused_moe_grouped(*call), call)


@case(part="grouped", points=4, means={"RE": "nobody-fails"})
def test_grouped_nobody(submission: Any, rng: Rng) -> None:
    """Rows that pad a captured batch hold anything, their weights too; their output is 0."""
    ids = routed(rng, 12, 2, 6)
    ids[8:] = -1
    call = grouped.make(rng, ids, 6, 8, 8, 4)
    call.x[8:] = float("nan")
    call.weights[8:] = float("nan")
    grouped.verify(submission.fused_moe_grouped(*call), call, because="nobody-computed", name=False)


@case(part="grouped", points=4)
def test_grouped_experts_without_pairs(submission: Any, rng: Rng) -> None:
    """Weights of experts that nobody chose are not read: here they are NaN."""
    ids = routed(rng, 10, 2, 8, empty=4)
    call = grouped.make(rng, ids, 8, 8, 8, 4)
    idle = [expert for expert in range(8) if not bool((ids == expert).any())]
    call.w[idle] = float("nan")
    grouped.verify(submission.fused_moe_grouped(*call), call, because="idle-expert-read", name=False)


@case(part="grouped", points=4, means={"RE": "out-dtype"})
def test_grouped_bfloat16(submission: Any, rng: Rng) -> None:
    """Small whole numbers, so that every order of summation is exact; weights stay float32."""
    ids = routed(rng, 12, 3, 6)
    x = rng.ints(-2, 3, 12, 4).bfloat16()
    w = rng.ints(-1, 2, 6, 5, 4).bfloat16()
    weights = 2.0 ** rng.ints(-1, 2, 12, 3)
    call = grouped.Call(x, w, ids, weights, 4)
    grouped.verify(submission.fused_moe_grouped(*call), call)


@case(part="grouped", points=3, means={"RE": "empty-fails"})
def test_grouped_no_tokens(submission: Any, rng: Rng) -> None:
    """No token at all; then one."""
    for tokens in (0, 1):
        call = grouped.make(rng, routed(rng, tokens, 2, 6), 6, 5, 7, 4)
        grouped.verify(submission.fused_moe_grouped(*call), call)


@case(part="grouped", points=3)
def test_grouped_leaves_inputs_alone(submission: Any, rng: Rng) -> None:
    call = grouped.make(rng, routed(rng, 9, 2, 5), 5, 6, 6, 4)
    got, *after = submission.harness.call_and_show("fused_moe_grouped", *call)
    grouped.verify(got, call)
    for name, mine, before in zip(("x", "w", "topk_ids", "topk_weights"), after, call, strict=False):
        check.tensor(mine, like=before, field=name, mistake="inputs-changed")


@case(part="grouped", points=4, means={"MLE": "weights-gathered"})
def test_grouped_large_experts(submission: Any, rng: Rng) -> None:
    """A matrix for each pair would be 6144 matrices of 128 x 128, half as much again as a cell may have."""
    call = grouped.make(rng, routed(rng, 768, 8, 16), 16, 128, 128, 64)
    grouped.verify(submission.fused_moe_grouped(*call), call, name=False)


@case(part="grouped", points=4, means={"TLE": "pair-by-pair"})
def test_grouped_many_tokens(submission: Any, rng: Rng) -> None:
    """65536 pairs in blocks of 256."""
    call = grouped.make(rng, rng.ints(0, 8, 16384, 4), 8, 8, 8, 256)
    grouped.verify(submission.fused_moe_grouped(*call), call, name=False)
