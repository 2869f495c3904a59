"""As the FlashInfer backend does it: each path makes as little as it can."""

from __future__ import annotations

from itertools import accumulate

import torch


def choose_path(reqs):
    extend_lens = [end - start for start, end in reqs]
    if max(extend_lens, default=1) == 1:
        return "decode"
    return "general" if any(start for start, _ in reqs) else "no-prefix"


def make_cu_seqlens(reqs, device):
    cu_k = torch.tensor([0, *accumulate(end for _, end in reqs)], dtype=torch.int32).to(device)
    path = choose_path(reqs)
    if path == "decode":
        return torch.arange(len(reqs) + 1, dtype=torch.int32, device=device), cu_k
    if path == "no-prefix":
        return cu_k.clone(), cu_k
    cu_q = torch.tensor([0, *accumulate(end - start for start, end in reqs)], dtype=torch.int32)
    return cu_q.to(device), cu_k
