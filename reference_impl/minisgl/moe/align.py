"""Pairs of token and expert, sorted by expert and padded to whole blocks."""

from __future__ import annotations

import torch


def moe_align_block_size(
    topk_ids: torch.Tensor, block_m: int, num_experts: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """topk_ids int [T, k], -1 for no expert, gives sorted_ids and expert_ids, int32.

    sorted_ids [blocks * block_m]: indices into the flat topk_ids, expert after expert in their old order,
    each expert's filled up to whole blocks with T * k. expert_ids [blocks]: the expert of each block.
    """
    flat = topk_ids.flatten().long()
    chosen, order = flat.sort(stable=True)
    order, chosen = order[chosen >= 0], chosen[chosen >= 0]
    counts = torch.bincount(chosen, minlength=num_experts)
    blocks = (counts + block_m - 1) // block_m
    padding = blocks * block_m - counts
    # a pair moves right by the padding of all experts before its own
    shift = (padding.cumsum(0) - padding)[chosen]
    sorted_ids = torch.full((int(blocks.sum()) * block_m,), len(flat), dtype=torch.int32, device=flat.device)
    sorted_ids[torch.arange(len(order), device=flat.device) + shift] = order.int()
    experts = torch.arange(num_experts, dtype=torch.int32, device=flat.device)
    return sorted_ids, experts.repeat_interleave(blocks)
