"""A loop over requests with the softmax written out: scores, mask and weights as einsums in float32."""

import torch


def prepare_metadata(reqs, padded_reqs, page_table):
    device = page_table.device
    ends, lens, total = [0], [], 0
    for _, cached_len, device_len in padded_reqs:
        total += device_len - cached_len
        ends.append(total)
        lens.append(device_len)
    longest = max(lens) if lens else 0
    table = torch.empty((len(padded_reqs), longest), dtype=torch.int32, device=device)
    for i, (row, _, _) in enumerate(padded_reqs):
        table[i] = page_table[row, :longest]
    return {
        "cu_seqlens_q": torch.tensor(ends, dtype=torch.int32, device=device),
        "cache_seqlens": torch.tensor(lens, dtype=torch.int32, device=device),
        "max_seqlen_k": longest,
        "page_table": table,
        "last_indices": torch.tensor(
            [end - 1 for end in ends[1:]][: len(reqs)], dtype=torch.int32, device=device
        ),
    }


def forward(q, k_pool, v_pool, meta):
    group = q.shape[1] // k_pool.shape[1]
    work = torch.float64 if q.dtype == torch.float64 else torch.float32
    cu = meta["cu_seqlens_q"].tolist()
    out = torch.zeros_like(q)
    for i, length in enumerate(meta["cache_seqlens"].tolist()):
        slots = meta["page_table"][i, :length]
        queries = q[cu[i] : cu[i + 1]].to(work)
        keys = k_pool[slots].to(work).repeat_interleave(group, dim=1)
        values = v_pool[slots].to(work).repeat_interleave(group, dim=1)
        scores = torch.einsum("nhd,khd->hnk", queries, keys) / q.shape[-1] ** 0.5
        n = queries.shape[0]
        future = torch.ones(n, length, dtype=torch.bool).triu(diagonal=length - n + 1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        out[cu[i] : cu[i + 1]] = torch.einsum("hnk,khd->nhd", weights, values).to(q.dtype)
    return out
