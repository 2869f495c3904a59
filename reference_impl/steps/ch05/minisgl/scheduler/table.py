"""Rows of the page table, one for each running request."""

from __future__ import annotations

import torch


class TableManager:
    """Hands out the rows of page_table int32 [max_running_reqs + 1, width]; the last is the dummy's."""

    def __init__(self, max_running_reqs: int, page_table: torch.Tensor) -> None:
        if len(page_table) != max_running_reqs + 1:
            raise ValueError(f"need {max_running_reqs} + 1 rows, got {len(page_table)}")
        self.page_table = page_table
        self.dummy_row = max_running_reqs
        self._free = list(range(max_running_reqs))

    @property
    def available_size(self) -> int:
        """Rows that are free."""
        return len(self._free)

    def allocate(self) -> int:
        """A free row; MemoryError if there is none."""
        if not self._free:
            raise MemoryError("every row of the page table is taken")
        return self._free.pop()

    def free(self, row: int) -> None:
        """Takes a row back; ValueError for one that is not lent."""
        if row in self._free or not 0 <= row < self.dummy_row:
            raise ValueError(f"row {row} is not lent")
        self._free.append(row)
