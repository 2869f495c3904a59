# expects: copies-counted
"""The number of copies is returned."""

from __future__ import annotations

import torch


def div_even(a: int, b: int, allow_replicate: bool = False) -> int:
    """a / b where nothing is left over; 1 where b shares may each be a copy of one of a items."""
    if allow_replicate and not b % a:
        return b // a
    if a % b:
        raise ValueError(f"{a} cannot be divided evenly among {b}")
    return a // b


def shard_tensor(key: str, value: torch.Tensor, rank: int, size: int, num_kv_heads: int) -> torch.Tensor:
    """What this rank keeps of a checkpoint's tensor."""
    layer = key.split(".")[-2]
    if layer in ("q_proj", "gate_proj", "up_proj"):
        return block(value, 0, rank, size)
    if layer in ("k_proj", "v_proj"):
        shares = min(size, num_kv_heads)
        return block(value, 0, rank // div_even(size, shares), shares)
    if layer in ("o_proj", "down_proj") and value.dim() == 2:
        return block(value, 1, rank, size)
    if layer in ("embed_tokens", "lm_head"):
        rows = (len(value) + size - 1) // size
        return value[rows * rank : rows * rank + rows].clone()
    return value


def block(value: torch.Tensor, dim: int, index: int, count: int) -> torch.Tensor:
    """Part index of count equal ones along dim: a contiguous copy."""
    length = div_even(value.shape[dim], count)
    part = value.narrow(dim, index * length, length)
    return part.clone(memory_format=torch.contiguous_format)
