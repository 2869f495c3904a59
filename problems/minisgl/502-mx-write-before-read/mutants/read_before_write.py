# expects: stale-read
"""Attention first."""

import torch
from support import attend


def attn_layer(q, k, v, out_loc, k_pool, v_pool, meta):
    slots = out_loc.long()
    out = attend(q, k_pool, v_pool, meta)
    k_pool[slots] = k
    v_pool[slots] = v
    return out


def stale_keys(reqs):
    counts = [r + 1 for start, end in reqs for r in range(end - start)]
    return torch.tensor(counts, dtype=torch.int32)
