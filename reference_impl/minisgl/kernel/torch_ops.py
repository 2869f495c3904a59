"""Reference operations. T: tokens of the batch, H: heads, D: head size."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def rmsnorm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """x / sqrt(mean(x^2) + eps) * weight over the last dimension (Zhang & Sennrich, 2019).

    Statistics in float32; the normalised x is rounded to its dtype before the multiplication.
    """
    wide = x.float()
    wide = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    return wide.to(x.dtype) * weight


def fused_add_rmsnorm(x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float) -> None:
    """residual += x, then x = rmsnorm(residual), both in place."""
    residual.add_(x)
    x.copy_(rmsnorm(residual, weight, eps))


def silu_and_mul(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """silu(first half) * second half of the last dimension: [..., 2n] gives [..., n] (SwiGLU)."""
    gate, up = x.chunk(2, dim=-1)
    return torch.mul(F.silu(gate), up, out=out)


def apply_rope_inplace(
    positions: torch.Tensor, q: torch.Tensor, k: torch.Tensor, cos_sin: torch.Tensor
) -> None:
    """Turns q and k [T, H, D] by their positions [T] (RoFormer, with NeoX's pairing of i and i + d/2).

    cos_sin: [max_position, d], cosines in the first half and sines in the second; d <= D elements turn.
    """
    cos, sin = cos_sin[positions.long()].to(q.dtype).unsqueeze(1).chunk(2, dim=-1)
    for x in (q, k):
        a, b = x[..., : cos_sin.shape[-1]].chunk(2, dim=-1)
        turned = a * cos - b * sin, b * cos + a * sin  # both before either is overwritten
        a.copy_(turned[0])
        b.copy_(turned[1])


def indexing(weight: torch.Tensor, ids: torch.Tensor, vocab: range) -> torch.Tensor:
    """Rows of a vocabulary shard: weight [len(vocab), D], ids [T] give [T, D], 0 for ids of other shards."""
    if not vocab:
        return weight.new_zeros(len(ids), weight.shape[1])
    local = ids.long() - vocab.start
    foreign = (local < 0) | (local >= len(vocab))
    rows = weight[local.masked_fill(foreign, 0)]
    return rows.masked_fill_(foreign.unsqueeze(1), 0)


def store_cache(
    k: torch.Tensor, v: torch.Tensor, k_cache: torch.Tensor, v_cache: torch.Tensor, out_loc: torch.Tensor
) -> None:
    """Writes k and v [T, H, D], strided or not, to the slots out_loc [T] of the caches [slots, H, D]."""
    slots = out_loc.long()
    k_cache.index_copy_(0, slots, k)
    v_cache.index_copy_(0, slots, v)
