"""Inputs of the cases: batches of requests with their page table, and KV pools whose unowned slots may be poisoned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from judge.grading.seeds import Rng

Request = tuple[int, int, int]  # table_idx, cached_len, device_len
Span = tuple[int, int]  # cached_len, device_len
INT32 = torch.iinfo(torch.int32)


@dataclass(frozen=True)
class Batch:
    """What the engine knows about one batch; ``slots`` is the size of the KV pool."""

    reqs: list[Request]
    padded: list[Request]
    table: torch.Tensor
    slots: int

    @property
    def tokens(self) -> int:
        """Number of query rows, dummies included."""
        return sum(end - start for _, start, end in self.padded)

    @property
    def real_tokens(self) -> int:
        """Number of query rows of the real requests."""
        return sum(end - start for _, start, end in self.reqs)

    def owned(self) -> torch.Tensor:
        """bool [slots]: which slots hold KV of this batch."""
        mask = torch.zeros(self.slots, dtype=torch.bool)
        for row, _, end in self.padded:
            mask[self.table[row, :end].long()] = True
        return mask

    def with_table(self, table: torch.Tensor) -> Batch:
        """The same requests over another tensor."""
        return replace(self, table=table)

    def other_table(self, rng: Rng) -> torch.Tensor:
        """A table of the same form with other cells, to overwrite this one with."""
        return rng.ints(0, self.slots, *self.table.shape, dtype=self.table.dtype)


def book() -> Batch:
    """The chapter's example: A prefills 6, B has 4 of 7 cached, C decodes its ninth token."""
    table = torch.zeros((3, 16), dtype=torch.int32)
    table[0, :6] = torch.arange(0, 6)
    table[1, :7] = torch.tensor([40, 41, 42, 43, 20, 21, 22])
    table[2, :9] = torch.arange(50, 59)
    reqs = [(0, 0, 6), (1, 4, 7), (2, 8, 9)]
    return Batch(reqs, list(reqs), table, slots=64)


def make(
    rng: Rng,
    spans: Sequence[Span],
    *,
    dummies: Sequence[Span] | int = 0,
    width: int | None = None,
    in_order: bool = False,
    junk: Sequence[int] = (-1, 0, 7),
) -> Batch:
    """Requests with ``spans`` in random rows and random slots; slots 0 and the last one belong to nobody.

    ``dummies``: so many copies of ``(dummy row, 0, 1)``, or a span for each; all share one row, filled with one slot as
    the engine does. ``junk`` is what cells past a request's length hold.
    """
    if isinstance(dummies, int):
        dummies = [(0, 1)] * dummies
    count = len(spans)
    lens = [end for _, end in spans]
    longest = max([*lens, *(end for _, end in dummies)], default=0)
    rows = count if in_order else count + 3
    order = list(range(rows)) if in_order else rng.permutation(rows).tolist()
    slots = sum(lens) + 8
    free = torch.from_numpy(rng.permutation(slots - 2) + 1)
    width = width or longest + 5
    choice = torch.from_numpy(rng.integers(len(junk), size=(rows + bool(dummies), width)))
    table = torch.tensor(junk, dtype=torch.int32)[choice]
    taken = 0
    for row, length in zip(order, lens, strict=False):
        table[row, :length] = free[taken : taken + length].int()
        taken += length
    reqs = [(order[i], *span) for i, span in enumerate(spans)]
    if not dummies:
        return Batch(reqs, list(reqs), table, slots)
    # the dummy's row is in the middle: its place must come from the triple, not from a habit
    dummy_row = rows // 2
    table[rows] = table[dummy_row]
    table[dummy_row] = free[taken].int()
    reqs = [(rows if row == dummy_row else row, start, end) for row, start, end in reqs]
    return Batch(reqs, reqs + [(dummy_row, *span) for span in dummies], table, slots)


def pools(
    rng: Rng,
    batch: Batch,
    kv_heads: int,
    dim: int,
    dtype: torch.dtype = torch.float32,
    poison: float | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """``k_pool`` and ``v_pool`` [slots, kv_heads, dim]; slots that nobody owns hold ``poison`` if it is given."""
    both = [rng.tensor(batch.slots, kv_heads, dim, dtype=dtype) for _ in range(2)]
    if poison is not None:
        for pool in both:
            pool[~batch.owned()] = poison
    return both[0], both[1]
