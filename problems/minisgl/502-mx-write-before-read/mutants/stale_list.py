# expects: stale-not-a-tensor
"""A list."""

import torch
from support import attend


def attn_layer(q, k, v, out_loc, k_pool, v_pool, meta):
    slots = out_loc.long()
    k_pool[slots] = k
    v_pool[slots] = v
    return attend(q, k_pool, v_pool, meta)


def stale_keys(reqs):
    counts = [r + 1 for start, end in reqs for r in range(end - start)]
    return counts
