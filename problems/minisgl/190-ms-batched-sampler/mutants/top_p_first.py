# expects: no-renormalisation
"""Top-p cuts before top-k, which comes to the same."""

from __future__ import annotations

import torch


def sample_batch(
    logits: torch.Tensor,
    temperature: torch.Tensor,
    top_k: torch.Tensor,
    top_p: torch.Tensor,
    u: torch.Tensor,
) -> torch.Tensor:
    """One token for each row of logits [B, V], int64 [B]; the other arguments are [B]."""
    vocab = logits.shape[1]
    scaled = logits.float() / temperature.clamp(min=1e-6)[:, None]
    weights, tokens = scaled.softmax(dim=1).sort(dim=1, descending=True, stable=True)
    most = torch.where(top_k < 1, vocab, top_k).masked_fill(temperature <= 0, 1)[:, None]
    before = weights.cumsum(dim=1) - weights
    weights = weights.masked_fill(before >= top_p.clamp(min=1e-9)[:, None], 0)  # never the first
    weights = weights.masked_fill(torch.arange(vocab) >= most, 0)
    sums = weights.cumsum(dim=1)
    place = (sums <= u[:, None] * sums[:, -1:]).sum(dim=1, keepdim=True)
    return tokens.gather(1, place).squeeze(1)  # u < 1, so that u * total stays below the total
