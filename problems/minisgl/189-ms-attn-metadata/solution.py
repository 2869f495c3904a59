"""Reference solution of #189: varlen metadata, and a loop over requests in float32 or better."""

from __future__ import annotations

import torch
import torch.nn.functional as F

Request = tuple[int, int, int]  # table_idx, cached_len, device_len


def prepare_metadata(
    reqs: list[Request], padded_reqs: list[Request], page_table: torch.Tensor
) -> dict[str, torch.Tensor | int]:
    """Where the queries and the KV of each request are: five keys, int32, on the table's device."""
    device = page_table.device
    rows = torch.tensor([row for row, _, _ in padded_reqs], dtype=torch.int64, device=device)
    extend_lens = [device_len - cached_len for _, cached_len, device_len in padded_reqs]
    device_lens = [device_len for _, _, device_len in padded_reqs]
    max_seqlen_k = max(device_lens, default=0)
    # in place, because torch.cumsum would widen int32 to int64
    cu_seqlens_q = torch.tensor([0, *extend_lens], dtype=torch.int32, device=device).cumsum_(0)
    # columns first: index_select copies, so the result is contiguous and no view of the caller's table
    table = page_table[:, :max_seqlen_k].index_select(0, rows).to(torch.int32)
    return {
        "cu_seqlens_q": cu_seqlens_q,
        "cache_seqlens": torch.tensor(device_lens, dtype=torch.int32, device=device),
        "max_seqlen_k": max_seqlen_k,
        "page_table": table,
        "last_indices": cu_seqlens_q[1 : len(reqs) + 1] - 1,
    }


def forward(
    q: torch.Tensor, k_pool: torch.Tensor, v_pool: torch.Tensor, meta: dict[str, torch.Tensor | int]
) -> torch.Tensor:
    """Attention of each request's queries over its own KV, [N, H, d] in q's dtype."""
    starts = meta["cu_seqlens_q"].tolist()
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    for i, kv_len in enumerate(meta["cache_seqlens"].tolist()):
        begin, end = starts[i], starts[i + 1]
        slots = meta["page_table"][i, :kv_len].long()
        out[begin:end] = attend(q[begin:end], k_pool[slots], v_pool[slots])
    return out


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """One request: q [n, H, d] are the last n positions of k, v [L, H_kv, d]; result [n, H, d] in float32 or 64."""
    exact = torch.promote_types(q.dtype, torch.float32)
    position = torch.arange(len(k) - len(q), len(k), device=q.device)
    visible = torch.arange(len(k), device=q.device) <= position[:, None]
    heads_first = [x.to(exact).transpose(0, 1) for x in (q, k, v)]
    out = F.scaled_dot_product_attention(
        *heads_first, attn_mask=visible, scale=q.shape[-1] ** -0.5, enable_gqa=True
    )
    return out.transpose(0, 1)
