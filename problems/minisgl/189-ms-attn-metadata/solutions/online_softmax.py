"""KV read in blocks with a running maximum and sum, as the GPU kernels do it; extra keys in the metadata."""

import torch

BLOCK = 48


def prepare_metadata(reqs, padded_reqs, page_table):
    extend = [end - start for _, start, end in padded_reqs]
    lens = [end for _, _, end in padded_reqs]
    device = page_table.device
    cu = torch.tensor([0, *extend], dtype=torch.int32, device=device).cumsum_(0)
    max_k = max(lens, default=0)
    rows = [page_table[row, :max_k] for row, _, _ in padded_reqs]
    table = torch.stack(rows) if rows else page_table.new_empty((0, 0))
    return {
        "cu_seqlens_q": cu,
        "cache_seqlens": torch.tensor(lens, dtype=torch.int32, device=device),
        "max_seqlen_k": max_k,
        "max_seqlen_q": max(extend, default=0),
        "page_table": table.to(torch.int32).contiguous(),
        "last_indices": cu[1:][: len(reqs)].sub(1),
    }


def forward(q, k_pool, v_pool, meta):
    n_tokens, heads, dim = q.shape
    kv_heads = k_pool.shape[1]
    work = torch.promote_types(q.dtype, torch.float32)
    grouped = q.reshape(n_tokens, kv_heads, heads // kv_heads, dim).to(work) * dim**-0.5
    out = torch.zeros(grouped.shape, dtype=work)
    cu = meta["cu_seqlens_q"].tolist()
    for i, length in enumerate(meta["cache_seqlens"].tolist()):
        begin, end = cu[i], cu[i + 1]
        position = torch.arange(length - (end - begin), length).view(-1, 1, 1, 1)
        queries, acc = grouped[begin:end], out[begin:end]
        top = torch.full((*queries.shape[:3], 1), float("-inf"), dtype=work)
        total = torch.zeros_like(top)
        for first in range(0, length, BLOCK):
            stop = min(first + BLOCK, length)
            slots = meta["page_table"][i, first:stop].long()
            scores = torch.einsum("nghd,kgd->nghk", queries, k_pool[slots].to(work))
            scores = scores.masked_fill(torch.arange(first, stop) > position, float("-inf"))
            new_top = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
            weights, shrink = torch.exp(scores - new_top), torch.exp(top - new_top)
            acc.mul_(shrink).add_(torch.einsum("nghk,kgd->nghd", weights, v_pool[slots].to(work)))
            total = total * shrink + weights.sum(dim=-1, keepdim=True)
            top = new_top
        acc.div_(total)
    return out.reshape(q.shape).to(q.dtype)
