# expects: empty-fails
"""Rows are stacked one by one, and there may be none."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def lm_head(
    x: torch.Tensor, weight: torch.Tensor, meta: dict[str, torch.Tensor], bs: int, is_prefill: bool
) -> torch.Tensor:
    """Logits to sample from: [bs, V] in prefill, [N, V] in decode, in x's dtype."""
    if is_prefill:
        cu = meta["cu_seqlens_q"]
        x = torch.stack([x.index_select(0, cu[i + 1 : i + 2] - 1)[0] for i in range(bs)])
    return F.linear(x, weight)
