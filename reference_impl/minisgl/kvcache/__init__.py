"""Where K and V of all requests live, and what is remembered of them."""

from __future__ import annotations

import torch

from minisgl.kvcache.base import BaseKVCache, BasePrefixCache, CacheHandle, SizeInfo
from minisgl.kvcache.mha_pool import MHAKVCache
from minisgl.kvcache.naive_cache import NaivePrefixCache
from minisgl.kvcache.radix import RadixPrefixCache


def create_prefix_cache(kind: str, page_size: int, device: torch.device) -> BasePrefixCache:
    """A "radix" or "naive" cache; ValueError for another kind."""
    if kind == "radix":
        return RadixPrefixCache(page_size, device)
    if kind == "naive":
        return NaivePrefixCache()
    raise ValueError(f"unknown prefix cache {kind!r}; supported: naive, radix")


__all__ = [
    "BaseKVCache",
    "BasePrefixCache",
    "CacheHandle",
    "MHAKVCache",
    "NaivePrefixCache",
    "RadixPrefixCache",
    "SizeInfo",
    "create_prefix_cache",
]
