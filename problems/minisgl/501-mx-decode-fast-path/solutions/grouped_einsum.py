"""Head groups as a dimension of their own; padding is zeroed after the gather."""

from __future__ import annotations

import torch


def decode_attention(q, k_pool, v_pool, page_table, seq_lens):
    bs, heads, dim = q.shape
    kv_heads, width = k_pool.shape[1], page_table.shape[1]
    work = torch.float64 if q.dtype == torch.float64 else torch.float32
    padding = torch.arange(width, device=q.device)[None, :] >= seq_lens[:, None]
    slots = page_table.masked_fill(padding, 0).long()
    blank = padding[:, :, None, None]
    key = k_pool[slots].to(work).masked_fill(blank, 0.0)
    value = v_pool[slots].to(work).masked_fill(blank, 0.0)
    query = q.to(work).reshape(bs, kv_heads, heads // kv_heads, dim)
    scores = torch.einsum("bkgd,bwkd->bkgw", query, key) / dim**0.5
    scores = scores.masked_fill(padding[:, None, None, :], float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bkgw,bwkd->bkgd", weights, value).reshape(bs, heads, dim).to(q.dtype)
