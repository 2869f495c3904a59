"""Online softmax over blocks of columns, for all requests at once: memory independent of the width."""

from __future__ import annotations

import torch

BLOCK = 128


def decode_attention(q, k_pool, v_pool, page_table, seq_lens):
    work = torch.promote_types(q.dtype, torch.float32)
    group = q.shape[1] // k_pool.shape[1]
    query = q.to(work) * q.shape[2] ** -0.5
    top = torch.full(q.shape[:2], float("-inf"), dtype=work, device=q.device)
    total, out = torch.zeros_like(top), torch.zeros_like(query)
    for begin in range(0, page_table.shape[1], BLOCK):
        cells = page_table[:, begin : begin + BLOCK]
        live = torch.arange(begin, begin + cells.shape[1], device=q.device) < seq_lens[:, None]
        slots = torch.where(live, cells, page_table[:, :1]).long()
        key, value = (pool[slots].to(work).repeat_interleave(group, 2) for pool in (k_pool, v_pool))
        scores = torch.einsum("bhd,bwhd->bhw", query, key).masked_fill(~live[:, None], float("-inf"))
        new_top = torch.maximum(top, scores.amax(-1))
        shrink, weights = torch.exp(top - new_top), torch.exp(scores - new_top[:, :, None])
        total = total * shrink + weights.sum(-1)
        out = out * shrink[:, :, None] + torch.einsum("bhw,bwhd->bhd", weights, value)
        top = new_top
    return (out / total[:, :, None]).to(q.dtype)
