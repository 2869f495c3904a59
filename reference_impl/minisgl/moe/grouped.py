"""The router's choice, and an expert layer with one product for each block of tokens."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from minisgl.kernel import silu_and_mul
from minisgl.moe.align import moe_align_block_size

BLOCK_M = 16  # rows of a block: more waste padding, fewer waste reads of weights


def select_experts(
    router_logits: torch.Tensor, top_k: int, renormalise: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """router_logits [T, E] give weights float32 [T, k] and ids int64 [T, k]; softmax is over all experts."""
    weights, ids = router_logits.softmax(dim=-1, dtype=torch.float32).topk(top_k, dim=-1)
    if renormalise:
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights, ids


def fused_moe(
    x: torch.Tensor,
    gate_up: torch.Tensor,
    down: torch.Tensor,
    topk_weights: torch.Tensor,
    topk_ids: torch.Tensor,
) -> torch.Tensor:
    """x [T, H] through its experts, gate_up [E, 2I, H] and down [E, H, I], weighted and summed: [T, H]."""
    pairs, top_k = topk_ids.numel(), topk_ids.shape[1]
    sorted_ids, expert_ids = moe_align_block_size(topk_ids, BLOCK_M, len(gate_up))
    out = torch.zeros(x.shape, dtype=torch.float32, device=x.device)
    for block, expert in zip(sorted_ids.view(-1, BLOCK_M).long(), expert_ids.tolist(), strict=True):
        real = block[block < pairs]
        tokens = real // top_k
        y = F.linear(silu_and_mul(F.linear(x[tokens], gate_up[expert])), down[expert])
        out.index_add_(0, tokens, y.float() * topk_weights.flatten()[real].unsqueeze(1))
    return out.to(x.dtype)
