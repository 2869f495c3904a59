# expects: copy-written
"""The pools are flattened by reshape first."""

import torch
from support import attend


def attn_layer(q, k, v, out_loc, k_pool, v_pool, meta):
    slots = out_loc.long()
    flat_k, flat_v = k_pool.reshape(len(k_pool), -1), v_pool.reshape(len(v_pool), -1)
    flat_k[slots] = k.reshape(len(k), k.shape[1] * k.shape[2])
    flat_v[slots] = v.reshape(len(v), v.shape[1] * v.shape[2])
    return attend(q, flat_k.reshape(k_pool.shape), flat_v.reshape(v_pool.shape), meta)


def stale_keys(reqs):
    counts = [r + 1 for start, end in reqs for r in range(end - start)]
    return torch.tensor(counts, dtype=torch.int32)
