# expects: slots-in-one-run
"""A slice from the first slot on."""

import torch
from support import attend


def attn_layer(q, k, v, out_loc, k_pool, v_pool, meta):
    slots = out_loc.long()
    if len(slots):
        run = torch.arange(int(slots[0]), int(slots[0]) + len(slots))
        fits = run < len(k_pool)
        k_pool[run[fits]] = k[fits]
        v_pool[run[fits]] = v[fits]
    return attend(q, k_pool, v_pool, meta)


def stale_keys(reqs):
    counts = [r + 1 for start, end in reqs for r in range(end - start)]
    return torch.tensor(counts, dtype=torch.int32)
