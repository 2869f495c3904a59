# expects: all-logits
"""All logits are computed, then rows are picked."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def lm_head(
    x: torch.Tensor, weight: torch.Tensor, meta: dict[str, torch.Tensor], bs: int, is_prefill: bool
) -> torch.Tensor:
    """Logits to sample from: [bs, V] in prefill, [N, V] in decode, in x's dtype."""
    logits = F.linear(x, weight)
    return logits[(meta["cu_seqlens_q"][1 : bs + 1] - 1).long()] if is_prefill else logits
