"""Reference solution of #502: store in place, then read; and the counts 1, 2, ..., n of each request."""

from __future__ import annotations

import torch
from support import attend


def attn_layer(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out_loc: torch.Tensor,
    k_pool: torch.Tensor,
    v_pool: torch.Tensor,
    meta: dict[str, torch.Tensor],
) -> torch.Tensor:
    """[N, H, d]; the pools hold this round's KV afterwards."""
    slots = out_loc.long()
    k_pool.index_copy_(0, slots, k)
    v_pool.index_copy_(0, slots, v)
    return attend(q, k_pool, v_pool, meta)


def stale_keys(reqs: list[tuple[int, int]]) -> torch.Tensor:
    """int32 [N]: query r of a request sees r + 1 keys of this round, itself included."""
    counts = [r + 1 for cached_len, device_len in reqs for r in range(device_len - cached_len)]
    return torch.tensor(counts, dtype=torch.int32)
