# expects: first-tokens
"""The first row of each request."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def lm_head(
    x: torch.Tensor, weight: torch.Tensor, meta: dict[str, torch.Tensor], bs: int, is_prefill: bool
) -> torch.Tensor:
    """Logits to sample from: [bs, V] in prefill, [N, V] in decode, in x's dtype."""
    if is_prefill:
        last = meta["cu_seqlens_q"][:bs]
        x = x.index_select(0, last)
    return F.linear(x, weight)
