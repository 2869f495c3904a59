# expects: mean-of-request
"""The mean of a request's rows, as an embedding model would do."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def lm_head(
    x: torch.Tensor, weight: torch.Tensor, meta: dict[str, torch.Tensor], bs: int, is_prefill: bool
) -> torch.Tensor:
    """Logits to sample from: [bs, V] in prefill, [N, V] in decode, in x's dtype."""
    if is_prefill:
        cu = meta["cu_seqlens_q"].tolist()
        x = torch.stack([x[cu[i] : cu[i + 1]].mean(0) for i in range(bs)]) if bs else x[:0]
    return F.linear(x, weight)
