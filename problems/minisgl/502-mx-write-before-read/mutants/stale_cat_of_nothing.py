# expects: stale-empty-fails
"""cat of an empty list."""

import torch
from support import attend


def attn_layer(q, k, v, out_loc, k_pool, v_pool, meta):
    slots = out_loc.long()
    k_pool[slots] = k
    v_pool[slots] = v
    return attend(q, k_pool, v_pool, meta)


def stale_keys(reqs):
    counts = [r + 1 for start, end in reqs for r in range(end - start)]
    parts = [torch.arange(1, end - start + 1, dtype=torch.int32) for start, end in reqs]
    return torch.cat(parts)
