# expects: shortcut-too-early
"""The first request decides that it is a decode."""

import torch


def choose_path(reqs):
    if all(end == start + 1 for start, end in reqs):
        return "decode"
    if all(start == 0 for start, _ in reqs):
        return "no-prefix"
    return "general"


def make_cu_seqlens(reqs, device):
    queries = [end - start for start, end in reqs]
    kv = [end for _, end in reqs]
    if reqs and reqs[0][1] - reqs[0][0] == 1:
        return torch.arange(len(reqs) + 1, dtype=torch.int32, device=device), running_sum(kv, device)
    return running_sum(queries, device), running_sum(kv, device)


def running_sum(lens, device):
    return torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum_(0)
