"""Experts: alignment as in #203, the grouped products, and packing a checkpoint's experts."""

from __future__ import annotations

import pytest
import torch
from minisgl.kernel import silu_and_mul
from minisgl.models.weight import pack_experts
from minisgl.moe import fused_moe, moe_align_block_size, select_experts

from tests.reference.test_sampler import solution_of


@pytest.mark.parametrize(("tokens", "top_k", "block_m", "experts"), [(9, 3, 4, 5), (40, 2, 1, 7), (0, 2, 4, 3), (64, 4, 16, 3)])  # fmt: skip
def test_the_solution_of_203_aligns_and_sums_alike(
    tokens: int, top_k: int, block_m: int, experts: int
) -> None:
    generator = torch.Generator().manual_seed(tokens)
    ids = torch.randint(-1, experts, (tokens, top_k), generator=generator)
    for got, want in zip(
        moe_align_block_size(ids, block_m, experts),
        solution_of(203).moe_align_block_size(ids, block_m, experts),
        strict=True,
    ):
        assert torch.equal(got, want) and got.dtype == torch.int32


def test_experts_are_weighted_and_summed_and_those_not_chosen_are_not_read() -> None:
    torch.manual_seed(0)
    x, gate_up, down = torch.randn(20, 8), torch.randn(4, 12, 8), torch.randn(4, 8, 6)
    ids, weights = torch.randint(0, 3, (20, 2)), torch.rand(20, 2)
    ids[5] = -1
    gate_up[3], down[3] = torch.nan, torch.nan
    want = torch.zeros(20, 8)
    for t in range(20):
        for e, w in zip(ids[t].tolist(), weights[t], strict=True):
            if e >= 0:
                want[t] += w * (down[e] @ silu_and_mul(gate_up[e] @ x[t]))
    torch.testing.assert_close(fused_moe(x, gate_up, down, weights, ids), want, atol=1e-5, rtol=1e-5)


def test_the_router_weighs_against_all_experts_unless_it_renormalises() -> None:
    logits = torch.tensor([[0.5, 0.1, 0.4]]).log()
    weights, ids = select_experts(logits, 2, renormalise=False)
    assert ids.tolist() == [[0, 2]] and weights[0].tolist() == pytest.approx([0.5, 0.4])
    assert select_experts(logits, 2, renormalise=True)[0][0].tolist() == pytest.approx([5 / 9, 4 / 9])


def test_experts_are_stacked_by_their_numbers_as_soon_as_all_are_there() -> None:
    items = [
        (f"l.experts.{i}.down_proj.weight", torch.full((2, 3), float(i)))
        for i in (10, 2, *range(2), *range(3, 10))
    ]
    items.insert(4, ("norm.weight", torch.ones(1)))
    packed = list(pack_experts(items, 11))
    assert [name for name, _ in packed] == ["norm.weight", "l.experts.down_proj"]
    assert packed[1][1][:, 0, 0].tolist() == list(range(11))
    with pytest.raises(ValueError, match="down_proj has 11 of 12"):
        list(pack_experts(items, 12))
