# expects: view-of-strided
"""view of a strided pool."""

import torch


def decode_attention(q, k_pool, v_pool, page_table, seq_lens):
    work = torch.promote_types(q.dtype, torch.float32)
    group = q.shape[1] // k_pool.shape[1]
    width = page_table.shape[1]
    mask = torch.arange(width, device=q.device) < seq_lens[:, None]
    slots = torch.where(mask, page_table, page_table[:, :1]).long()
    query = q.to(work)
    key = k_pool.view(len(k_pool), -1)[slots].view(*slots.shape, *k_pool.shape[1:]).to(work).repeat_interleave(group, dim=2)
    value = v_pool[slots].to(work).repeat_interleave(group, dim=2)
    scores = torch.einsum("bhd,bwhd->bhw", query, key) * q.shape[-1] ** -0.5
    scores = scores.masked_fill(~mask[:, None, :], float("-inf"))
    weights = scores.softmax(dim=-1)
    return torch.einsum("bhw,bwhd->bhd", weights, value).to(q.dtype)
