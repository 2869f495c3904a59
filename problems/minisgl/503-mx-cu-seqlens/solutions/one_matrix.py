"""Both sums at once, as rows of one matrix that are copied apart."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def choose_path(reqs):
    cached, ends = torch.tensor([[0, 1], *reqs], dtype=torch.int64).T
    if bool((ends - cached == 1).all()):
        return "decode"
    return "general" if bool((cached > 0).any()) else "no-prefix"


def make_cu_seqlens(reqs, device):
    spans = torch.tensor(reqs, dtype=torch.int32).reshape(-1, 2)
    lens = torch.stack([spans[:, 1] - spans[:, 0], spans[:, 1]])
    sums = F.pad(lens.cumsum(1, dtype=torch.int32), (1, 0))
    return sums[0].clone().to(device), sums[1].clone().to(device)
