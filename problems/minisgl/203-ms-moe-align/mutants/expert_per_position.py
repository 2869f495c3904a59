# expects: expert-per-position
"""An expert for each position."""

from __future__ import annotations

import torch


def moe_align_block_size(
    topk_ids: torch.Tensor, block_m: int, num_experts: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Pairs by expert, each expert's padded to whole blocks: sorted_ids, and the expert of each block; int32."""
    flat = topk_ids.flatten()
    order = torch.argsort(flat, stable=True)
    order = order[flat[order] >= 0]
    experts = flat[order].long()
    counts = torch.bincount(experts, minlength=num_experts)
    blocks = (counts + block_m - 1) // block_m
    starts = (blocks.cumsum(0) - blocks) * block_m
    ranks = torch.arange(len(order)) - (counts.cumsum(0) - counts)[experts]
    sorted_ids = torch.full((int(blocks.sum()) * block_m,), flat.numel(), dtype=torch.int32)
    sorted_ids[starts[experts] + ranks] = order.int()
    return sorted_ids, torch.arange(num_experts, dtype=torch.int32).repeat_interleave(blocks * block_m)


def fused_moe_grouped(
    x: torch.Tensor, w: torch.Tensor, topk_ids: torch.Tensor, topk_weights: torch.Tensor, block_m: int
) -> torch.Tensor:
    """The weighted sum of each token's experts: x [T, D], w [E, F, D] give [T, F] in x's dtype."""
    out = torch.zeros(len(x), w.shape[1])
    sorted_ids, expert_ids = moe_align_block_size(topk_ids, block_m, len(w))
    for pairs, expert in zip(sorted_ids.view(-1, block_m), expert_ids.tolist(), strict=True):
        pairs = pairs[pairs < topk_ids.numel()].long()
        tokens = pairs // topk_ids.shape[1]
        y = (x[tokens] @ w[expert].T).float()
        out.index_add_(0, tokens, y * topk_weights.flatten()[pairs, None])
    return out.to(x.dtype)
