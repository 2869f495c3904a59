"""Pages of the KV pool: which are free, which are cached, and which slots a request's tokens go to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch

from minisgl.core import Req
from minisgl.kvcache import CacheHandle, create_prefix_cache
from minisgl.utils import div_ceil


class CacheManager:
    """Owns the free pages, first in first out; a page is named by its first slot.

    page_table: int32 [rows, width] of token slots, whatever the page size. A page is free, cached, or a
    request's own; a request hands its pages over to the prefix cache in cache_req.
    """

    def __init__(
        self, num_pages: int, page_size: int, page_table: torch.Tensor, cache_type: str = "naive"
    ) -> None:
        self.num_pages, self.page_size, self.page_table = num_pages, page_size, page_table
        self.prefix_cache = create_prefix_cache(cache_type, page_size, page_table.device)
        self._free = torch.arange(num_pages, dtype=torch.int32, device=page_table.device) * page_size
        self._offsets = torch.arange(page_size, dtype=torch.int32, device=page_table.device)
        self._lazy: list[torch.Tensor] | None = None

    @property
    def available_size(self) -> int:
        """Slots in pages that are free or can be evicted."""
        return len(self._free) * self.page_size + self.prefix_cache.size_info.evictable_size

    def match_req(self, input_ids: torch.Tensor) -> CacheHandle:
        """The longest cached prefix of a prompt [n >= 1] without its last token, which gives the logits."""
        return self.prefix_cache.match_prefix(input_ids[:-1])

    def lock(self, handle: CacheHandle) -> None:
        """Protects a match from eviction."""
        self.prefix_cache.lock_handle(handle)

    def unlock(self, handle: CacheHandle) -> None:
        """Ends one lock of a match."""
        self.prefix_cache.lock_handle(handle, unlock=True)

    def allocate_paged(self, reqs: Sequence[Req]) -> None:
        """Writes the slots of each request's new tokens into its row, using up its last page first.

        Evicts what it must. MemoryError, with nothing changed, if that does not suffice for all.
        """
        pages = [[div_ceil(n, self.page_size) for n in (r.cached_len, r.device_len)] for r in reqs]
        slots = self._take(sum(last - first for first, last in pages))
        for req, (first, last) in zip(reqs, pages, strict=True):
            # the row may end within the last page
            cells = self.page_table[req.table_idx, first * self.page_size : last * self.page_size]
            cells.copy_(slots[: len(cells)])
            slots = slots[(last - first) * self.page_size :]

    def out_loc(self, reqs: Sequence[Req]) -> torch.Tensor:
        """int32 [T]: the slots of the new tokens, request after request."""
        return torch.cat([self.page_table[r.table_idx, r.cached_len : r.device_len] for r in reqs])

    def cache_req(self, req: Req, *, finished: bool) -> None:
        """Hands the pages of a request's first cached_len tokens over to the prefix cache.

        Its row: [locked at admission | cached by others since | cached now | tail that fills no page].
        The second part is freed and, in a row that lives on, replaced by the slots of the cache; the tail
        stays the request's own until it has finished.
        """
        row = self.page_table[req.table_idx, : req.cached_len]
        old = req.cache_handle
        assert old is not None
        known, new = self.prefix_cache.insert_prefix(req.input_ids[: req.cached_len], row)
        self.unlock(old)
        self.free(row[old.cached_len : known])
        if finished:
            self.free(row[new.cached_len :])
        else:
            # else the request would go on reading pages that are somebody else's by then
            row[: new.cached_len] = new.matched_indices
            self.lock(new)
            req.cache_handle = new

    def free(self, indices: torch.Tensor) -> None:
        """Takes back the pages that begin among the slots in indices; other slots are ignored."""
        pages = self._pages(indices)
        if self._lazy is not None:
            self._lazy.append(pages)
        else:
            self._free = torch.cat([self._free, pages])

    @contextmanager
    def lazy_free(self) -> Iterator[None]:
        """What is freed inside can be allocated only after it: a batch in flight may still read it."""
        if self._lazy is not None:  # the outermost region releases
            yield
            return
        self._lazy = []
        try:
            yield
        finally:
            freed, self._lazy = self._lazy, None
            self._free = torch.cat([self._free, *freed])

    def check_integrity(self) -> None:
        """RuntimeError unless, while no request runs, each page is either free or cached and unlocked."""
        sizes, free = self.prefix_cache.size_info, len(self._free)
        cached = sizes.evictable_size // self.page_size
        if sizes.protected_size or free + cached != self.num_pages or len(set(self._free.tolist())) != free:
            raise RuntimeError(
                f"pages are lost or owned twice: {free} free, {cached} cached, {self.num_pages} in all; "
                f"{sizes.protected_size} tokens are locked"
            )

    def _take(self, num_pages: int) -> torch.Tensor:
        """Slots of num_pages pages that are free from now on no more."""
        if num_pages * self.page_size > self.available_size:
            available = self.available_size // self.page_size
            raise MemoryError(f"need {num_pages} pages of the KV pool, {available} are free or evictable")
        missing = max(0, num_pages - len(self._free))
        if missing:
            evicted = self.prefix_cache.evict(missing * self.page_size)
            self._free = torch.cat([self._free, self._pages(evicted)])
        taken, self._free = self._free[:num_pages], self._free[num_pages:]
        return (taken.unsqueeze(1) + self._offsets).flatten()

    def _pages(self, slots: torch.Tensor) -> torch.Tensor:
        return slots[slots % self.page_size == 0]  # a copy, so that the row may be overwritten
