"""Metadata by the shortcuts of the official backends: arange for decode, lengths reused without a prefix."""

import torch
import torch.nn.functional as F


def prepare_metadata(reqs, padded_reqs, page_table):
    device = page_table.device
    bs = len(padded_reqs)
    extend = [device_len - cached_len for _, cached_len, device_len in padded_reqs]
    lens = [device_len for _, _, device_len in padded_reqs]
    seqlens = torch.tensor(lens, dtype=torch.int32, device=device)
    if max(extend, default=1) == 1:
        cu = torch.arange(bs + 1, dtype=torch.int32, device=device)
    elif all(cached_len == 0 for _, cached_len, _ in padded_reqs):
        cu = F.pad(torch.cumsum(seqlens, 0, dtype=torch.int32), (1, 0))
    else:
        cu = F.pad(torch.tensor(extend, dtype=torch.int32, device=device).cumsum(0), (1, 0)).to(torch.int32)
    max_k = max(lens, default=0)
    index = torch.tensor([row for row, _, _ in padded_reqs], dtype=torch.long, device=device)
    table = page_table[index, :max_k].to(torch.int32, memory_format=torch.contiguous_format)
    return {
        "cu_seqlens_q": cu,
        "cache_seqlens": seqlens,
        "max_seqlen_k": max_k,
        "page_table": table,
        "last_indices": (cu[1 : bs + 1] - 1)[: len(reqs)].clone(),
    }


def forward(q, k_pool, v_pool, meta):
    """A batched call for pure decode, a request at a time otherwise."""
    cu = meta["cu_seqlens_q"].tolist()
    lens = meta["cache_seqlens"].tolist()
    work = torch.promote_types(q.dtype, torch.float32)
    scale = q.shape[-1] ** -0.5
    if lens and cu == list(range(len(lens) + 1)):
        return decode(q, k_pool, v_pool, meta["page_table"], lens, work, scale)
    out = torch.empty_like(q, memory_format=torch.contiguous_format)
    for i, length in enumerate(lens):
        begin, end = cu[i], cu[i + 1]
        loc = meta["page_table"][i, :length].long()
        query, key, value = (x.to(work).transpose(0, 1) for x in (q[begin:end], k_pool[loc], v_pool[loc]))
        if begin + length == end:  # no prefix: the square mask that SDPA knows
            o = F.scaled_dot_product_attention(
                query, key, value, is_causal=True, scale=scale, enable_gqa=True
            )
        else:
            keep = torch.ones(end - begin, length, dtype=torch.bool).tril(length - (end - begin))
            o = F.scaled_dot_product_attention(
                query, key, value, attn_mask=keep, scale=scale, enable_gqa=True
            )
        out[begin:end] = o.transpose(0, 1).to(q.dtype)
    return out


def decode(q, k_pool, v_pool, table, lens, work, scale):
    """All requests at once; padded cells read a slot that the batch owns, so that no NaN is met."""
    longest = max(lens)
    inside = torch.arange(longest)[None, :] < torch.tensor(lens)[:, None]
    loc = torch.where(inside, table[:, :longest], table[:, :1]).long()
    key, value = (pool[loc].to(work).transpose(1, 2) for pool in (k_pool, v_pool))
    out = F.scaled_dot_product_attention(
        q.to(work).unsqueeze(2), key, value, attn_mask=inside[:, None, None, :], scale=scale, enable_gqa=True
    )
    return out.squeeze(2).to(q.dtype)
