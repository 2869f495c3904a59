"""A deque of page numbers and plain Python in between; the table is written once per request."""

import math
from collections import deque

import torch


def new_pages(cached_len, device_len, page_size):
    return math.ceil(device_len / page_size) - math.ceil(cached_len / page_size)


class Region:
    """A re-entrant context: only its owner's outermost exit gives pages back."""

    def __init__(self, owner):
        self.owner = owner

    def __enter__(self):
        self.owner.depth += 1
        return self.owner

    def __exit__(self, *exception):
        self.owner.depth -= 1
        if self.owner.depth == 0:
            self.owner.ready.extend(self.owner.later)
            self.owner.later.clear()
        return False


class PageAllocator:
    def __init__(self, num_pages, page_size, page_table):
        self.page_size = page_size
        self.page_table = page_table
        self.ready = deque(range(num_pages))
        self.later = []
        self.depth = 0

    @property
    def available_size(self):
        return len(self.ready) * self.page_size

    def allocate_paged(self, reqs):
        size, width = self.page_size, self.page_table.shape[1]
        if sum(new_pages(start, end, size) for _, start, end in reqs) > len(self.ready):
            raise MemoryError("too few pages")
        for row, start, end in reqs:
            begin = math.ceil(start / size) * size
            slots = []
            for _ in range(new_pages(start, end, size)):
                first = self.ready.popleft() * size
                slots.extend(range(first, first + size))
            stop = min(width, begin + len(slots))
            self.page_table[row, begin:stop] = torch.tensor(slots[: max(0, stop - begin)], dtype=torch.int32)

    def out_loc(self, reqs):
        return torch.cat([self.page_table[row, start:end].clone() for row, start, end in reqs])

    def free(self, indices):
        pages = [slot // self.page_size for slot in indices.tolist() if slot % self.page_size == 0]
        (self.later if self.depth else self.ready).extend(pages)

    def lazy_free(self):
        return Region(self)
