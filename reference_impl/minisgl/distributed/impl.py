"""What ranks tell each other during a forward pass; nothing is sent where there is only one."""

from __future__ import annotations

import torch
import torch.distributed as dist

from minisgl.distributed.info import get_tp_info


def all_reduce(x: torch.Tensor) -> torch.Tensor:
    """The sum over ranks, in the storage of x."""
    if get_tp_info().size > 1:
        dist.all_reduce(x)
    return x


def all_gather(x: torch.Tensor) -> torch.Tensor:
    """The x of every rank: [...] gives [size, ...]."""
    size = get_tp_info().size
    if size == 1:
        return x.unsqueeze(0)
    parts = [torch.empty_like(x) for _ in range(size)]
    dist.all_gather(parts, x.contiguous())
    return torch.stack(parts)
