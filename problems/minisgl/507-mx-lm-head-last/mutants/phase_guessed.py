# expects: decode-drops-dummies
"""The phase is guessed from the number of rows."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def lm_head(
    x: torch.Tensor, weight: torch.Tensor, meta: dict[str, torch.Tensor], bs: int, is_prefill: bool
) -> torch.Tensor:
    """Logits to sample from: [bs, V] in prefill, [N, V] in decode, in x's dtype."""
    if len(x) != bs:
        last = meta["cu_seqlens_q"][1 : bs + 1] - 1
        x = x.index_select(0, last)
    return F.linear(x, weight)
