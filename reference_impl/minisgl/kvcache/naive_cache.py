"""The prefix cache that never finds anything: the baseline that the radix cache is measured against."""

from __future__ import annotations

import torch

from minisgl.kvcache.base import BasePrefixCache, CacheHandle, SizeInfo

NO_SLOTS = torch.empty(0, dtype=torch.int32)
NOTHING = CacheHandle(cached_len=0, matched_indices=NO_SLOTS)


class NaivePrefixCache(BasePrefixCache):
    """Keeps nothing, so all that a request leaves behind is free at once."""

    def match_prefix(self, input_ids: torch.Tensor) -> CacheHandle:
        return NOTHING

    def insert_prefix(self, input_ids: torch.Tensor, indices: torch.Tensor) -> tuple[int, CacheHandle]:
        return 0, NOTHING

    def lock_handle(self, handle: CacheHandle, unlock: bool = False) -> None:
        pass

    def evict(self, size: int) -> torch.Tensor:
        if size > 0:
            raise MemoryError(f"cannot evict {size} tokens: nothing is cached")
        return NO_SLOTS

    @property
    def size_info(self) -> SizeInfo:
        return SizeInfo(evictable_size=0, protected_size=0)
