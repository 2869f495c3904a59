# expects: q-changed
"""float32 q is not copied by `.to(float32)`, and then scaled in place."""

import torch


def prepare_metadata(reqs, padded_reqs, page_table):
    device = page_table.device
    rows = [row for row, _, _ in padded_reqs]
    counts = [end - start for _, start, end in padded_reqs]
    lens = [end for _, _, end in padded_reqs]
    longest = max(lens, default=0)
    cu = torch.tensor([0, *counts], dtype=torch.int32, device=device).cumsum_(0)
    index = torch.tensor(rows, dtype=torch.long, device=device)
    table = page_table[:, :longest].index_select(0, index).to(torch.int32)
    return {
        "cu_seqlens_q": cu,
        "cache_seqlens": torch.tensor(lens, dtype=torch.int32, device=device),
        "max_seqlen_k": longest,
        "page_table": table,
        "last_indices": cu[1 : len(reqs) + 1] - 1,
    }


def forward(q, k_pool, v_pool, meta):
    work = torch.promote_types(q.dtype, torch.float32)
    group = q.shape[1] // k_pool.shape[1]
    cu = meta["cu_seqlens_q"].tolist()
    out = torch.empty(q.shape, dtype=q.dtype)
    for i, length in enumerate(meta["cache_seqlens"].tolist()):
        n = cu[i + 1] - cu[i]
        slots = meta["page_table"][i, :length].long()
        query = q[cu[i] : cu[i + 1]].to(work)
        query *= q.shape[-1] ** -0.5
        key = k_pool[slots].to(work).repeat_interleave(group, dim=1)
        value = v_pool[slots].to(work).repeat_interleave(group, dim=1)
        scores = torch.einsum("nhd,lhd->hnl", query, key)
        visible = torch.arange(length) <= torch.arange(length - n, length)[:, None]
        weights = scores.masked_fill(~visible, float("-inf")).softmax(dim=-1)
        out[cu[i] : cu[i + 1]] = torch.einsum("hnl,lhd->nhd", weights, value).to(q.dtype)
    return out
