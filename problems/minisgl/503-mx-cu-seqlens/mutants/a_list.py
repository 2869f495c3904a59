# expects: not-a-pair
"""A list instead of a tuple."""

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
    return [running_sum(queries, device), running_sum(kv, device)]


def running_sum(lens, device):
    return torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum_(0)
