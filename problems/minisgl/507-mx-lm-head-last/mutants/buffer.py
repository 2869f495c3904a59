# expects: buffer-reused
"""The logits go into a buffer that all batches share."""

from __future__ import annotations

import torch
import torch.nn.functional as F


BUFFERS = {}


def lm_head(
    x: torch.Tensor, weight: torch.Tensor, meta: dict[str, torch.Tensor], bs: int, is_prefill: bool
) -> torch.Tensor:
    """Logits to sample from: [bs, V] in prefill, [N, V] in decode, in x's dtype."""
    if is_prefill:
        last = meta["cu_seqlens_q"][1 : bs + 1] - 1
        x = x.index_select(0, last)
    out = BUFFERS.setdefault((x.shape[0], weight.shape[0], x.dtype, x.device), x.new_empty(x.shape[0], weight.shape[0]))
    return torch.mm(x, weight.T, out=out)
