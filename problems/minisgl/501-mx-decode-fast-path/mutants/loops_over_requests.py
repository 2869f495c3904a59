# expects: request-loop
"""Request by request, with nothing read back."""

import torch


def decode_attention(q, k_pool, v_pool, page_table, seq_lens):
    work = torch.promote_types(q.dtype, torch.float32)
    group = q.shape[1] // k_pool.shape[1]
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    for i in range(len(q)):
        mask = torch.arange(page_table.shape[1], device=q.device) < seq_lens[i]
        slots = torch.where(mask, page_table[i], page_table[i, :1]).long()
        key = k_pool[slots].to(work).repeat_interleave(group, dim=1)
        value = v_pool[slots].to(work).repeat_interleave(group, dim=1)
        scores = torch.einsum("hd,whd->hw", q[i].to(work), key) * q.shape[-1] ** -0.5
        weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
        out[i] = torch.einsum("hw,whd->hd", weights, value).to(q.dtype)
    return out
