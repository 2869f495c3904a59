"""Batches on a paged pool, the right metadata, and wrong ones that have a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate, chain
from typing import Any, NamedTuple

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

Request = tuple[int, int, int]
Named = Mapping[str, Callable[[], Any]]
FIELDS = ("qo_indptr", "kv_indptr", "kv_indices", "kv_last_page_len")


class Batch(NamedTuple):
    """The arguments of `flashinfer_metadata`."""

    reqs: list[Request]
    table: torch.Tensor
    size: int


def make(rng: Rng, spans: list[tuple[int, int]], size: int, *, dummies: int = 0, extra: int = 5) -> Batch:
    """Requests in any rows with pages anywhere; cells past a request's last token hold -1 or junk.

    ``spans``: (cached_len, device_len) each; ``extra`` columns more than the longest needs.
    """
    width = max((end for _, end in spans), default=1) + extra
    rows = len(spans) + 3
    table = rng.ints(0, 2, rows, width) * rng.ints(1, 1 << 20, rows, width) - 1
    order = [int(row) for row in rng.permutation(rows)]
    pages = [int(page) for page in rng.permutation(sum(-(-end // size) for _, end in spans) + 9)]
    for row, (_, end) in zip(order, spans, strict=False):
        for start in range(0, end, size):
            stop = min(start + size, end)
            table[row, start:stop] = torch.arange(stop - start) + pages.pop() * size
    dummy = order[len(spans)]
    table[dummy, 0] = pages.pop() * size
    reqs = [(row, start, end) for row, (start, end) in zip(order, spans, strict=False)]
    return Batch([*reqs, *[(dummy, 0, 1)] * dummies], table, size)


def ints(values: Iterable[int]) -> torch.Tensor:
    """A one-dimensional int32 tensor."""
    return torch.tensor(list(values), dtype=torch.int32)


def indptr(counts: Iterable[int]) -> torch.Tensor:
    """int32 ``[0, c0, c0 + c1, ...]``."""
    return ints(accumulate(counts, initial=0))


def pages_of(batch: Batch, request: Request) -> list[int]:
    """The request's pages, one after the other."""
    row, _, end = request
    return [int(batch.table[row, place]) // batch.size for place in range(0, end, batch.size)]


def expected(batch: Batch) -> dict[str, torch.Tensor]:
    """The right metadata."""
    pages = [pages_of(batch, request) for request in batch.reqs]
    ends = [end for _, _, end in batch.reqs]
    return {
        "qo_indptr": indptr(end - start for _, start, end in batch.reqs),
        "kv_indptr": indptr(map(len, pages)),
        "kv_indices": ints(chain.from_iterable(pages)),
        "kv_last_page_len": ints(
            end - (len(mine) - 1) * batch.size for end, mine in zip(ends, pages, strict=True)
        ),
    }


def cells(batch: Batch, columns: Callable[[int], Iterable[int]]) -> torch.Tensor:
    """int32: for each request the cells in ``columns(device_len)``, end to end; out of the table is the last cell."""
    width = batch.table.shape[1]
    return ints(
        int(batch.table[row, min(column, width - 1)]) for row, _, end in batch.reqs for column in columns(end)
    )


def named(batch: Batch) -> Mapping[str, Named]:
    """Wrong answers by field and mistake."""
    size, table, want = batch.size, batch.table, expected(batch)
    ends = [end for _, _, end in batch.reqs]
    seen = batch._replace(reqs=list(dict.fromkeys(batch.reqs)))

    def merged(field: str) -> Callable[[], Any]:
        return lambda: expected(seen)[field]

    return {
        "qo_indptr": {
            "qo-of-lengths": lambda: indptr(ends),
            "no-leading-zero": lambda: want["qo_indptr"][1:],
            "counts-not-summed": lambda: want["qo_indptr"].diff(),
            "dummies-merged": merged("qo_indptr"),
        },
        "kv_indptr": {
            "kv-in-tokens": lambda: indptr(ends),
            "new-pages-only": lambda: indptr(-(-end // size) - start // size for _, start, end in batch.reqs),
            "kv-of-queries": lambda: want["qo_indptr"],
            "last-page-lost": lambda: indptr(end // size for end in ends),
            "page-too-many": lambda: indptr(end // size + 1 for end in ends),
            "no-leading-zero": lambda: want["kv_indptr"][1:],
            "counts-not-summed": lambda: want["kv_indptr"].diff(),
            "dummies-merged": merged("kv_indptr"),
        },
        "kv_indices": {
            "slots-not-pages": lambda: cells(batch, lambda end: range(0, end, size)),
            "first-cells": lambda: cells(batch, lambda end: range(-(-end // size))) // size,
            "one-per-token": lambda: cells(batch, range) // size,
            "token-slots": lambda: cells(batch, range),
            "last-page-lost": lambda: cells(batch, lambda end: range(0, end // size * size, size)) // size,
            "whole-width": lambda: cells(batch, lambda end: range(0, table.shape[1], size)) // size,
            "row-by-position": lambda: expected(
                batch._replace(reqs=[(i, start, end) for i, (_, start, end) in enumerate(batch.reqs)])
            )["kv_indices"],
            "new-pages-only": lambda: ints(
                page for one in batch.reqs for page in pages_of(batch, one)[one[1] // size :]
            ),
            "dummies-merged": merged("kv_indices"),
        },
        "kv_last_page_len": {
            "zero-when-full": lambda: ints(end % size for end in ends),
            "last-of-cached": lambda: ints((start - 1) % size + 1 for _, start, _ in batch.reqs),
            "last-of-queries": lambda: ints((end - start - 1) % size + 1 for _, start, end in batch.reqs),
            "last-is-full": lambda: ints(size for _ in ends),
            "last-is-length": lambda: ints(ends),
            "room-left": lambda: ints(-end % size for end in ends),
            "dummies-merged": merged("kv_last_page_len"),
        },
    }


def verify(
    got: Any, batch: Batch, fields: Iterable[str] = FIELDS, *, because: str = "", device: str = "cpu"
) -> None:
    """The ``fields`` of the metadata are right; ``because`` names what the case was made to see."""
    check.keys(got, FIELDS, mistake="missing-key", field="meta")
    want, known = expected(batch), named(batch)
    for field in fields:
        on_device = field == "kv_indices"
        check.tensor(
            got[field],
            like=want[field].to(device if on_device else "cpu"),
            field=field,
            mistake=because or f"{field}-wrong",
            dtype="not-int32",
            device="indices-elsewhere" if on_device else "host-arrays-elsewhere",
            contiguous="not-contiguous",
            known=None if because or (on_device and device != "cpu") else known[field],
        )
