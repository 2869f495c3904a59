"""Pages of the KV pool: which are free, and which slots a request's tokens go to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from minisgl.core import Req
from minisgl.utils import div_ceil


class CacheManager:
    """Owns the free pages, first in first out; a page is named by its first slot.

    page_table: int32 [rows, width] of token slots, whatever the page size.
    """

    def __init__(self, num_pages: int, page_size: int, page_table: torch.Tensor) -> None:
        self.page_size, self.page_table = page_size, page_table
        self._free = torch.arange(num_pages, dtype=torch.int32, device=page_table.device) * page_size
        self._offsets = torch.arange(page_size, dtype=torch.int32, device=page_table.device)
        self._lazy: list[torch.Tensor] | None = None

    @property
    def available_size(self) -> int:
        """Slots in free pages."""
        return len(self._free) * self.page_size

    def allocate_paged(self, reqs: Sequence[Req]) -> None:
        """Writes the slots of each request's new tokens into its row, using up its last page first.

        MemoryError, with nothing changed, if the free pages do not suffice for all.
        """
        pages = [[div_ceil(n, self.page_size) for n in (r.cached_len, r.device_len)] for r in reqs]
        needed = sum(last - first for first, last in pages)
        if needed > len(self._free):
            raise MemoryError(f"need {needed} pages of the KV pool, {len(self._free)} are free")
        taken, self._free = self._free[:needed], self._free[needed:]
        slots = (taken.unsqueeze(1) + self._offsets).flatten()
        for req, (first, last) in zip(reqs, pages, strict=True):
            # the row may end within the last page
            cells = self.page_table[req.table_idx, first * self.page_size : last * self.page_size]
            cells.copy_(slots[: len(cells)])
            slots = slots[(last - first) * self.page_size :]

    def out_loc(self, reqs: Sequence[Req]) -> torch.Tensor:
        """int32 [T]: the slots of the new tokens, request after request."""
        return torch.cat([self.page_table[r.table_idx, r.cached_len : r.device_len] for r in reqs])

    def free(self, indices: torch.Tensor) -> None:
        """Takes back the pages that begin among the slots in indices; other slots are ignored."""
        pages = indices[indices % self.page_size == 0]  # a copy, so that the row may be overwritten
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
