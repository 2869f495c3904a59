# expects: reads-the-device
"""A look into the tensor."""

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
    cu_q, cu_k = running_sum(queries, device), running_sum(kv, device)
    assert int(cu_k[-1]) >= int(cu_q[-1])
    return cu_q, cu_k


def running_sum(lens, device):
    return torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum_(0)
