# expects: v-not-written
"""Attention between the two writes."""

import torch
from support import attend


def attn_layer(q, k, v, out_loc, k_pool, v_pool, meta):
    slots = out_loc.long()
    k_pool[slots] = k
    out = attend(q, k_pool, v_pool, meta)
    v_pool[slots] = v
    return out


def stale_keys(reqs):
    counts = [r + 1 for start, end in reqs for r in range(end - start)]
    return torch.tensor(counts, dtype=torch.int32)
