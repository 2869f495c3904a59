# expects: other-slots
"""The slot after each is cleared for the next token."""

import torch
from support import attend


def attn_layer(q, k, v, out_loc, k_pool, v_pool, meta):
    slots = out_loc.long()
    k_pool[slots] = k
    v_pool[slots] = v
    out = attend(q, k_pool, v_pool, meta)
    free = torch.ones(len(k_pool), dtype=torch.bool)
    for row, length in zip(meta["page_table"], meta["cache_seqlens"].tolist()):
        free[row[:length].long()] = False
    k_pool[free] = 0
    return out


def stale_keys(reqs):
    counts = [r + 1 for start, end in reqs for r in range(end - start)]
    return torch.tensor(counts, dtype=torch.int32)
