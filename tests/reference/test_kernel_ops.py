"""The reference operations, against their definitions in float64 or by hand."""

from __future__ import annotations

import math

import pytest
import torch
from minisgl.kernel import apply_rope_inplace, fused_add_rmsnorm, indexing, rmsnorm, silu_and_mul
from minisgl.layers.rotary import RotaryEmbedding, cos_sin_table
from minisgl.models.config import RotaryConfig

from tests.reference.small_engine import CPU


def test_rmsnorm_is_its_definition() -> None:
    x, weight = torch.randn(5, 3, 24, dtype=torch.float64), torch.randn(24, dtype=torch.float64)
    want = x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * weight
    got = rmsnorm(x.float(), weight.float(), 1e-5)
    torch.testing.assert_close(got.double(), want, atol=1e-6, rtol=1e-5)


def test_rmsnorm_survives_squares_that_float16_does_not() -> None:
    x = torch.full((2, 8), 6e4, dtype=torch.float16)
    assert torch.equal(rmsnorm(x, torch.ones(8, dtype=torch.float16), 1e-6), torch.ones_like(x))


def test_rmsnorm_rounds_before_it_multiplies_by_the_weight() -> None:
    torch.manual_seed(0)
    x, weight = torch.randn(64, 32).bfloat16(), torch.randn(32).bfloat16()
    normed = (x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-6)).bfloat16()
    assert torch.equal(rmsnorm(x, weight, 1e-6), normed * weight)


def test_the_fused_norm_leaves_both_results_in_place() -> None:
    x, residual, weight = torch.randn(4, 16), torch.randn(4, 16), torch.randn(16)
    total = x + residual
    want, places = rmsnorm(total, weight, 1e-6), (x.data_ptr(), residual.data_ptr())
    fused_add_rmsnorm(x, residual, weight, 1e-6)
    assert torch.equal(residual, total) and torch.equal(x, want)
    assert (x.data_ptr(), residual.data_ptr()) == places


def test_silu_and_mul_takes_halves_and_honours_out() -> None:
    x = torch.tensor([[1.0, -2.0, 10.0, 100.0]])
    want = [10 / (1 + math.exp(-1)), -200 / (1 + math.exp(2))]
    out = torch.empty(1, 2)
    assert silu_and_mul(x, out) is out
    assert out[0].tolist() == pytest.approx(want)
    assert torch.equal(silu_and_mul(x), out)


def rotate_by_hand(x: torch.Tensor, positions: list[int], base: float) -> torch.Tensor:
    """Element i and i + d/2 as one complex number, turned by position * base ** (-2i / d)."""
    half = x.shape[-1] // 2
    z = torch.complex(x[..., :half].double(), x[..., half:].double())
    for t, position in enumerate(positions):
        for i in range(half):
            angle = position * base ** (-2 * i / x.shape[-1])
            z[t, :, i] *= complex(math.cos(angle), math.sin(angle))
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)


def test_rope_turns_pairs_of_halves_by_the_position() -> None:
    q, k = torch.randn(3, 4, 8), torch.randn(3, 2, 8)
    positions = [11, 0, 5]
    want = [rotate_by_hand(x, positions, 1e4) for x in (q, k)]
    rope = RotaryEmbedding(RotaryConfig(8, 8, 16, 1e4, None))
    rope.forward(torch.tensor(positions, dtype=torch.int32), q, k)
    torch.testing.assert_close(q, want[0], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(k, want[1], atol=1e-5, rtol=1e-5)


def test_rope_works_on_views_and_leaves_the_rest_of_the_head() -> None:
    joint = torch.randn(2, 3, 12)
    before = joint.clone()
    q, k = joint[:, :2], joint[:, 2:]
    apply_rope_inplace(torch.tensor([1, 2]), q, k, cos_sin_table(8, 4, 1e4, CPU))
    assert torch.equal(joint[..., 8:], before[..., 8:])
    torch.testing.assert_close(joint[..., :8], rotate_by_hand(before[..., :8], [1, 2], 1e4))


def test_rope_scores_depend_on_distance_only() -> None:
    rope = RotaryEmbedding(RotaryConfig(16, 16, 64, 1e4, None))
    q, k = torch.randn(1, 1, 16), torch.randn(1, 1, 16)
    scores = []
    for shift in (0, 13, 40):
        turned_q, turned_k = q.clone(), k.clone()
        rope.forward(torch.tensor([7 + shift]), turned_q, q.clone())
        rope.forward(torch.tensor([2 + shift]), turned_k, k.clone())
        scores.append((turned_q * turned_k).sum().item())
    assert scores == pytest.approx([scores[0]] * 3, abs=1e-4)
    assert scores[0] != pytest.approx((q * k).sum().item(), abs=1e-3)


def test_scaled_rope_is_refused_rather_than_ignored() -> None:
    with pytest.raises(ValueError, match="yarn"):
        RotaryEmbedding(RotaryConfig(8, 8, 16, 1e4, {"rope_type": "yarn", "factor": 4.0}))


def test_ids_of_other_shards_are_zero_rows() -> None:
    weight = torch.arange(1.0, 7.0).view(3, 2)
    ids = torch.tensor([4, 0, 6, 7, 5, 3], dtype=torch.int32)
    got = indexing(weight, ids, range(4, 7))
    assert got.tolist() == [[1, 2], [0, 0], [5, 6], [0, 0], [3, 4], [0, 0]]
    assert indexing(weight[:0], ids, range(7, 7)).tolist() == [[0, 0]] * 6
