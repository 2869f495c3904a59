"""Reference solution of #501: pad to the table's width with each request's own first slot, then one batched attention."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def decode_attention(
    q: torch.Tensor,
    k_pool: torch.Tensor,
    v_pool: torch.Tensor,
    page_table: torch.Tensor,
    seq_lens: torch.Tensor,
) -> torch.Tensor:
    """[bs, H, d] in q's dtype; no value is read back, so it can be captured."""
    exact = torch.promote_types(q.dtype, torch.float32)
    in_use = torch.arange(page_table.shape[1], device=q.device) < seq_lens[:, None]
    # masking a score does not mask NaN, and junk names no slot: padding reads the request's own first slot
    slots = torch.where(in_use, page_table, page_table[:, :1]).long()
    k, v = (pool[slots].to(exact).transpose(1, 2) for pool in (k_pool, v_pool))
    out = F.scaled_dot_product_attention(
        q[:, :, None].to(exact), k, v, attn_mask=in_use[:, None, None], enable_gqa=True
    )
    return out[:, :, 0].to(q.dtype)
