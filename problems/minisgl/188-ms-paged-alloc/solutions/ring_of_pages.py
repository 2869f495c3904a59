"""A ring buffer of first slots: two counters instead of a list that is rebuilt, and one indexed write for a call."""

from contextlib import contextmanager

import torch


def new_pages(cached_len, device_len, page_size):
    return (device_len - 1) // page_size - (cached_len - 1) // page_size


class PageAllocator:
    def __init__(self, num_pages, page_size, page_table):
        self.page_size, self.page_table, self.size = page_size, page_table, num_pages
        self.ring = torch.arange(0, num_pages * page_size, page_size, dtype=torch.int32)
        self.head = 0  # counts pages ever given out
        self.tail = num_pages  # counts pages ever free
        self.stored = num_pages  # beyond tail lie those that a lazy region holds back
        self.depth = 0

    @property
    def available_size(self):
        return (self.tail - self.head) * self.page_size

    def allocate_paged(self, reqs):
        spans = [(row, -(-start // self.page_size), -(-end // self.page_size)) for row, start, end in reqs]
        needed = sum(last - first for _, first, last in spans)
        if needed > self.tail - self.head:
            raise MemoryError
        places = torch.arange(self.head, self.head + needed) % self.size
        self.head += needed
        slots = (self.ring[places].unsqueeze(1) + torch.arange(self.page_size, dtype=torch.int32)).flatten()
        rows = torch.cat([torch.full(((b - a) * self.page_size,), row) for row, a, b in spans])
        columns = torch.cat([torch.arange(a * self.page_size, b * self.page_size) for _, a, b in spans])
        inside = columns < self.page_table.shape[1]
        self.page_table[rows[inside], columns[inside]] = slots[inside]

    def out_loc(self, reqs):
        rows = torch.cat([torch.full((end - start,), row) for row, start, end in reqs])
        columns = torch.cat([torch.arange(start, end) for _, start, end in reqs])
        return self.page_table[rows, columns]

    def free(self, indices):
        heads = indices[indices.remainder(self.page_size) == 0]
        self.ring[torch.arange(self.stored, self.stored + len(heads)) % self.size] = heads
        self.stored += len(heads)
        if not self.depth:
            self.tail = self.stored

    @contextmanager
    def lazy_free(self):
        self.depth += 1
        try:
            yield self
        finally:
            self.depth -= 1
            if not self.depth:
                self.tail = self.stored
