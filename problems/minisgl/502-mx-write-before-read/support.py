"""Given: `attend`, the variable-length, paged, causal attention of #189. It reads the pools and writes nothing."""

from __future__ import annotations

import torch


def attend(
    q: torch.Tensor, k_pool: torch.Tensor, v_pool: torch.Tensor, meta: dict[str, torch.Tensor]
) -> torch.Tensor:
    """[N, H, d]: each request's queries over the KV that its row of the page table names, as it is in the pools now.

    q: [N, H, d]. k_pool, v_pool: [slots, H_kv, d].
    meta: "cu_seqlens_q" int32 [bs + 1], "cache_seqlens" int32 [bs], "page_table" int32 [bs, width].
    """
    group = q.shape[1] // k_pool.shape[1]
    bounds = meta["cu_seqlens_q"].tolist()
    out = torch.empty(q.shape, dtype=q.dtype)
    for i, length in enumerate(meta["cache_seqlens"].tolist()):
        mine = slice(bounds[i], bounds[i + 1])
        slots = meta["page_table"][i, :length].long()
        key, value = (pool[slots].repeat_interleave(group, dim=1) for pool in (k_pool, v_pool))
        scores = torch.einsum("nhd,lhd->hnl", q[mine], key) * q.shape[-1] ** -0.5
        position = torch.arange(length - (mine.stop - mine.start), length)
        hidden = torch.arange(length) > position[:, None]
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        out[mine] = torch.einsum("hnl,lhd->nhd", weights, value)
    return out
