# expects: requests-mixed
"""One causal attention over the whole batch: a request sees those before it."""

import torch
import torch.nn.functional as F


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
    lens = meta["cache_seqlens"].tolist()
    slots = [meta["page_table"][i, :length].long() for i, length in enumerate(lens)]
    if not slots:
        return q.clone()
    slots = torch.cat(slots)
    query, key, value = (x.to(work).transpose(0, 1) for x in (q, k_pool[slots], v_pool[slots]))
    visible = torch.ones(len(q), len(slots), dtype=torch.bool).tril(len(slots) - len(q))
    scale = q.shape[-1] ** -0.5
    out = F.scaled_dot_product_attention(query, key, value, attn_mask=visible, scale=scale, enable_gqa=True)
    return out.transpose(0, 1).to(q.dtype).contiguous()
