"""Where K and V of all requests live, and what is remembered of them."""

from minisgl.kvcache.base import BaseKVCache, BasePrefixCache, CacheHandle, SizeInfo
from minisgl.kvcache.mha_pool import MHAKVCache
from minisgl.kvcache.naive_cache import NaivePrefixCache

__all__ = [
    "BaseKVCache",
    "BasePrefixCache",
    "CacheHandle",
    "MHAKVCache",
    "NaivePrefixCache",
    "SizeInfo",
]
