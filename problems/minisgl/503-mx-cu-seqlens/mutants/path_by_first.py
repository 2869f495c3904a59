# expects: path-one-decides
"""The first request speaks for all."""

import torch


def choose_path(reqs):
    start, end = reqs[0] if reqs else (0, 1)
    if end - start == 1:
        return "decode"
    return "general" if start else "no-prefix"


def make_cu_seqlens(reqs, device):
    queries = [end - start for start, end in reqs]
    kv = [end for _, end in reqs]
    return running_sum(queries, device), running_sum(kv, device)


def running_sum(lens, device):
    return torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum_(0)
