# expects: sources-changed
"""k and v are cleared once they are stored."""

from __future__ import annotations

import math

import torch


def store_cache(
    k: torch.Tensor, v: torch.Tensor, k_cache: torch.Tensor, v_cache: torch.Tensor, out_loc: torch.Tensor
) -> None:
    """Writes k and v [T, H, D], strided or not, to the slots out_loc [T] of the caches [slots, H, D]."""
    slots = out_loc.long()
    k_cache.index_copy_(0, slots, k)
    v_cache.index_copy_(0, slots, v)
    k.zero_()


def row_offsets(
    k: torch.Tensor, k_cache: torch.Tensor, out_loc: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """int64 [T] each, in elements: where each token's row begins in k, and where it goes in the cache."""
    source = torch.arange(len(k), device=out_loc.device) * k.stride(0)
    return source, out_loc.long() * k_cache.stride(0)


def vector_bytes(k: torch.Tensor, k_cache: torch.Tensor) -> int:
    """The widest access that fits rows, strides and beginnings of both: 16, 8, 4, 2 or 1 bytes."""
    row = k.shape[1] * k.shape[2]
    counts = [row, k.stride(0), k_cache.stride(0), k.storage_offset(), k_cache.storage_offset()]
    return math.gcd(16, *(count * k.element_size() for count in counts))
