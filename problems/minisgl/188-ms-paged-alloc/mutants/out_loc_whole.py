# expects: out-loc-wrong
"""out_loc holds the cached tokens too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

Request = tuple[int, int, int]  # table_idx, cached_len, device_len


def new_pages(cached_len: int, device_len: int, page_size: int) -> int:
    """Pages to add for the tokens cached_len .. device_len - 1: the last page is filled up first."""
    return pages_of(device_len, page_size) - pages_of(cached_len, page_size)


def pages_of(length: int, page_size: int) -> int:
    """Pages that hold ``length`` tokens."""
    return (length + page_size - 1) // page_size


class PageAllocator:
    """Owns the free pages, each named by its first slot."""

    def __init__(self, num_pages: int, page_size: int, page_table: torch.Tensor) -> None:
        self.page_size, self.page_table = page_size, page_table
        self.pages = torch.arange(num_pages, dtype=torch.int32) * page_size
        self.waiting: list[torch.Tensor] = []
        self.depth = 0

    @property
    def available_size(self) -> int:
        """Slots in free pages."""
        return len(self.pages) * self.page_size

    def allocate_paged(self, reqs: list[Request]) -> None:
        """Writes the slots of the new pages into each request's row; MemoryError, and nothing changed, if too few."""
        size = self.page_size
        counts = [pages_of(end, size) - pages_of(start, size) for _, start, end in reqs]
        needed = sum(counts)
        if needed > len(self.pages):
            raise MemoryError(f"{needed} pages needed, {len(self.pages)} free")
        taken, self.pages = self.pages[:needed], self.pages[needed:]
        slots = taken[:, None] + torch.arange(self.page_size, dtype=torch.int32)
        for (row, cached_len, _), pages in zip(reqs, slots.split(counts), strict=True):
            start = pages_of(cached_len, self.page_size) * self.page_size
            cells = self.page_table[row, start : start + pages.numel()]
            cells.copy_(pages.flatten()[: len(cells)])  # the row may end within its last page

    def out_loc(self, reqs: list[Request]) -> torch.Tensor:
        """int32 [T]: the slots of the new tokens, request after request."""
        return torch.cat([self.page_table[row, :end] for row, _, end in reqs])

    def free(self, indices: torch.Tensor) -> None:
        """Takes back the pages whose first slot is among ``indices``."""
        self.waiting.append(indices[indices % self.page_size == 0])
        self.release()

    def release(self) -> None:
        """Makes what was freed available, unless a region is still open."""
        if not self.depth:
            self.pages = torch.cat([self.pages, *self.waiting])
            self.waiting = []

    @contextmanager
    def lazy_free(self) -> Iterator[None]:
        """What is freed inside becomes available when the outermost region ends, however it ends."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
            self.release()
