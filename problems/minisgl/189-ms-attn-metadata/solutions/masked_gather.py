"""The whole batch in one masked gather: padded queries against padded keys, no loop over requests."""

import torch


def prepare_metadata(reqs, padded_reqs, page_table):
    spec = torch.tensor(padded_reqs, dtype=torch.int32).reshape(-1, 3)
    row, cached, device_len = spec.unbind(dim=1)
    cu = torch.zeros(spec.shape[0] + 1, dtype=torch.int32)
    cu[1:] = torch.cumsum(device_len - cached, dim=0)
    longest = int(device_len.max()) if len(padded_reqs) else 0
    cells = torch.arange(longest, device=page_table.device)
    on = page_table.device
    return {
        "cu_seqlens_q": cu.to(on),
        "cache_seqlens": device_len.to(on, copy=True).contiguous(),
        "max_seqlen_k": longest,
        "page_table": page_table[row.long().to(on)[:, None], cells[None, :]].int().contiguous(),
        "last_indices": (cu[1:] - 1)[: len(reqs)].to(on, copy=True),
    }


def forward(q, k_pool, v_pool, meta):
    cu, lens = meta["cu_seqlens_q"].long(), meta["cache_seqlens"].long()
    if q.shape[0] == 0:
        return torch.empty_like(q)
    n = cu.diff()
    step = torch.arange(int(n.max()))
    col = torch.arange(int(lens.max()))
    real_q = step[None, :] < n[:, None]
    real_k = col[None, :] < lens[:, None]
    q_index = torch.where(real_q, cu[:-1, None] + step[None, :], cu[:-1, None])
    slots = meta["page_table"][:, : col.numel()].long()
    slots = torch.where(real_k, slots, slots[:, :1])

    work = torch.promote_types(q.dtype, torch.float32)
    group = q.shape[1] // k_pool.shape[1]
    query = q[q_index].to(work).unflatten(2, (k_pool.shape[1], group))  # [bs, n, H_kv, g, d]
    scores = torch.einsum("bnkgd,bskd->bkgns", query, k_pool[slots].to(work)) * q.shape[-1] ** -0.5
    position = (lens - n)[:, None] + step[None, :]
    seen = real_k[:, None, :] & (col[None, None, :] <= position[:, :, None])
    scores = scores.masked_fill(~seen[:, None, None], float("-inf"))
    out = torch.einsum("bkgns,bskd->bnkgd", scores.softmax(dim=-1), v_pool[slots].to(work)).flatten(2, 3)
    return out[real_q].to(q.dtype)
