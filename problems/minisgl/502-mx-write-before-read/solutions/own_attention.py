"""`index_put_`, and an attention of its own with torch's fused operator."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def attn_layer(q, k, v, out_loc, k_pool, v_pool, meta):
    k_pool.index_put_((out_loc.long(),), k)
    v_pool.index_put_((out_loc.long(),), v)
    out, begin = torch.zeros_like(q, memory_format=torch.contiguous_format), 0
    for row, length, end in zip(
        meta["page_table"], meta["cache_seqlens"].tolist(), meta["cu_seqlens_q"][1:].tolist(), strict=True
    ):
        slots = row[:length].long()
        seen = torch.ones(end - begin, length, dtype=torch.bool).tril(length - (end - begin))
        heads = [one.transpose(0, 1) for one in (q[begin:end], k_pool[slots], v_pool[slots])]
        done = F.scaled_dot_product_attention(*heads, attn_mask=seen, enable_gqa=True)
        out[begin:end] = done.transpose(0, 1)
        begin = end
    return out


def stale_keys(reqs):
    total = sum(end - start for start, end in reqs)
    counts, place = torch.ones(total, dtype=torch.int32), 0
    for start, end in reqs:
        counts[place : place + end - start] = torch.ones(end - start, dtype=torch.int32).cumsum_(0)
        place += end - start
    return counts
