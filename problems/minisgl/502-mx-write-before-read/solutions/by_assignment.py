"""Plain assignment, row by row; positions less the prefix."""

from __future__ import annotations

import support
import torch


def attn_layer(q, k, v, out_loc, k_pool, v_pool, meta):
    for row, slot in enumerate(out_loc.tolist()):
        k_pool[slot], v_pool[slot] = k[row], v[row]
    return support.attend(q, k_pool, v_pool, meta)


def stale_keys(reqs):
    parts = [torch.arange(start, end) - start + 1 for start, end in reqs]
    return torch.cat([torch.empty(0, dtype=torch.int64), *parts]).int()
