# expects: half-precision
"""Scores in q's own dtype."""

import torch


def decode_attention(q, k_pool, v_pool, page_table, seq_lens):
    work = torch.promote_types(q.dtype, torch.float32)
    group = q.shape[1] // k_pool.shape[1]
    width = page_table.shape[1]
    mask = torch.arange(width, device=q.device) < seq_lens[:, None]
    slots = torch.where(mask, page_table, page_table[:, :1]).long()
    work = q.dtype
    query = q
    key = k_pool[slots].to(work).repeat_interleave(group, dim=2)
    value = v_pool[slots].to(work).repeat_interleave(group, dim=2)
    scores = torch.einsum("bhd,bwhd->bhw", query, key) * q.shape[-1] ** -0.5
    scores = scores.masked_fill(~mask[:, None, :], float("-inf"))
    weights = scores.softmax(dim=-1)
    return torch.einsum("bhw,bwhd->bhd", weights, value).to(q.dtype)
