"""A driver that runs beside your function: what cannot be seen from outside, such as shared storage."""

from __future__ import annotations

from typing import Any

import solution
import torch


def shard_then_overwrite(key: str, value: torch.Tensor, rank: int, size: int, num_kv_heads: int) -> Any:
    """The part, as it is after the whole was overwritten with -1, and whether the call had changed the whole."""
    before = value.clone()
    part = solution.shard_tensor(key, value, rank, size, num_kv_heads)
    after = value.clone()
    value.fill_(-1)
    return [part, before, after]
