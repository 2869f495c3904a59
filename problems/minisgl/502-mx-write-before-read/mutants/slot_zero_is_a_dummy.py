# expects: out-values
"""Slot 0 is taken for a dummy's and left out."""

import torch
from support import attend


def attn_layer(q, k, v, out_loc, k_pool, v_pool, meta):
    slots = out_loc.long()
    real = slots > 0
    k_pool[slots[real]] = k[real]
    v_pool[slots[real]] = v[real]
    return attend(q, k_pool, v_pool, meta)


def stale_keys(reqs):
    counts = [r + 1 for start, end in reqs for r in range(end - start)]
    return torch.tensor(counts, dtype=torch.int32)
