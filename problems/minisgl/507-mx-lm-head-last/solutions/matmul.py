"""Fancy indexing, and a matrix product in float32 that is rounded once."""

import torch


def lm_head(x, weight, meta, bs, is_prefill):
    rows = x
    if is_prefill:
        ends = meta["cu_seqlens_q"].long()
        rows = x[(ends - 1)[1:][:bs]]
    logits = torch.einsum("td,vd->tv", rows.float(), weight.float())
    return logits.to(x.dtype)
