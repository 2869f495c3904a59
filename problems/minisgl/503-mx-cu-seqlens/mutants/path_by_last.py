# expects: path-last-decides
"""Each request overwrites the answer."""

import torch


def choose_path(reqs):
    path = "decode"
    for start, end in reqs:
        path = "decode" if end - start == 1 else "general" if start else "no-prefix"
    return path


def make_cu_seqlens(reqs, device):
    queries = [end - start for start, end in reqs]
    kv = [end for _, end in reqs]
    return running_sum(queries, device), running_sum(kv, device)


def running_sum(lens, device):
    return torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum_(0)
