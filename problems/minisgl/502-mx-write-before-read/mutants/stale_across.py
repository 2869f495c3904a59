# expects: stale-across-requests
"""Counted on from one request to the next."""

import torch
from support import attend


def attn_layer(q, k, v, out_loc, k_pool, v_pool, meta):
    slots = out_loc.long()
    k_pool[slots] = k
    v_pool[slots] = v
    return attend(q, k_pool, v_pool, meta)


def stale_keys(reqs):
    counts = list(range(1, sum(end - start for start, end in reqs) + 1))
    return torch.tensor(counts, dtype=torch.int32)
