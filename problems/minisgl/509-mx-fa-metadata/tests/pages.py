"""Batches on a paged pool, the right metadata, and wrong ones that have a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

Request = tuple[int, int, int]
Named = Mapping[str, Callable[[], Any]]
TENSORS = ("cu_seqlens_q", "cu_seqlens_k", "cache_seqlens", "page_table")
NUMBERS = ("max_seqlen_q", "max_seqlen_k")


class Batch(NamedTuple):
    """The arguments of `fa_metadata`."""

    reqs: list[Request]
    table: torch.Tensor
    size: int


def make(rng: Rng, spans: list[tuple[int, int]], size: int, *, dummies: int = 0, extra: int = 5) -> Batch:
    """Requests in any rows with pages anywhere; cells past a request's last page hold junk.

    ``spans``: (cached_len, device_len) each; ``extra`` columns more than the longest needs.
    """
    width = max((end for _, end in spans), default=1) + extra
    rows = len(spans) + 3
    table = rng.ints(-1, 1, rows, width) * rng.ints(1, 1 << 20, rows, width)
    order = [int(row) for row in rng.permutation(rows)]
    pages = [int(page) for page in rng.permutation(sum(-(-end // size) for _, end in spans) + 9)]
    for row, (_, end) in zip(order, spans, strict=False):
        for start in range(0, end, size):
            stop = min(start + size, width)
            table[row, start:stop] = torch.arange(stop - start) + pages.pop() * size
    dummy = order[len(spans)]
    table[dummy] = torch.arange(width) + pages.pop() * size
    reqs = [(row, start, end) for row, (start, end) in zip(order, spans, strict=False)]
    return Batch([*reqs, *[(dummy, 0, 1)] * dummies], table, size)


def ints(values: Any) -> torch.Tensor:
    """A one-dimensional int32 tensor."""
    return torch.tensor(list(values), dtype=torch.int32)


def cumulative(lengths: Any) -> torch.Tensor:
    """int32 ``[0, l0, l0 + l1, ...]``."""
    return ints(accumulate(lengths, initial=0))


def columns(batch: Batch) -> int:
    """How many pages the longest request has."""
    return -(-longest(batch) // batch.size)


def longest(batch: Batch) -> int:
    """The longest KV."""
    return max((end for _, _, end in batch.reqs), default=0)


def table_of(batch: Batch, cell: Callable[[int, int], int], width: int | None = None) -> torch.Tensor:
    """int32 [bs, width] of ``cell(row, column)``; the table's cells are taken as they are."""
    width = columns(batch) if width is None else width
    return torch.tensor(
        [[cell(row, column) for column in range(width)] for row, _, _ in batch.reqs], dtype=torch.int32
    ).view(len(batch.reqs), width)


def expected(batch: Batch) -> dict[str, Any]:
    """The right metadata; junk pages as floor division makes them."""
    lens_q, lens_k = [end - start for _, start, end in batch.reqs], [end for _, _, end in batch.reqs]
    return {
        "cu_seqlens_q": cumulative(lens_q),
        "cu_seqlens_k": cumulative(lens_k),
        "cache_seqlens": ints(lens_k),
        "max_seqlen_q": max(lens_q, default=0),
        "max_seqlen_k": longest(batch),
        "page_table": table_of(batch, lambda row, c: int(batch.table[row, c * batch.size]) // batch.size),
    }


def named(batch: Batch) -> Mapping[str, Named]:
    """Wrong answers by field and mistake."""
    size, table = batch.size, batch.table
    want = expected(batch)
    lens_q, lens_k = [end - start for _, start, end in batch.reqs], [end for _, _, end in batch.reqs]
    pages = [-(-end // size) for end in lens_k]
    seen = list(dict.fromkeys(batch.reqs))

    def cell(row: int, column: int) -> int:
        return int(table[row, min(column, table.shape[1] - 1)])

    return {
        "cu_seqlens_q": {
            "cu-q-of-lengths": lambda: cumulative(lens_k),
            "no-leading-zero": lambda: want["cu_seqlens_q"][1:],
            "dummies-merged": lambda: cumulative(end - start for _, start, end in seen),
        },
        "cu_seqlens_k": {
            "cu-k-of-queries": lambda: cumulative(lens_q),
            "cu-k-in-pages": lambda: cumulative(pages),
            "cu-k-of-whole-pages": lambda: cumulative(size * count for count in pages),
            "no-leading-zero": lambda: want["cu_seqlens_k"][1:],
        },
        "cache_seqlens": {
            "lengths-in-pages": lambda: ints(pages),
            "lengths-before": lambda: ints(start for _, start, _ in batch.reqs),
            "lengths-of-queries": lambda: ints(lens_q),
        },
        "page_table": {
            "slots-not-pages": lambda: table_of(batch, lambda row, c: cell(row, c * size)),
            "not-every-page": lambda: table_of(batch, lambda row, c: cell(row, c) // size),
            "one-per-token": lambda: table_of(batch, lambda row, c: cell(row, c) // size, longest(batch)),
            "last-page-lost": lambda: want["page_table"][:, : longest(batch) // size],
            "whole-width": lambda: table_of(
                batch, lambda row, c: cell(row, c * size) // size, -(-table.shape[1] // size)
            ),
            "row-by-position": lambda: torch.stack(
                [table[i, : longest(batch) : size] // size for i in range(len(batch.reqs))]
            ),
            "power-of-two": lambda: table_of(
                batch, lambda row, c: cell(row, c * size) >> (size.bit_length() - 1)
            ),
            "dummies-merged": lambda: want["page_table"][: len(seen)],
        },
        "max_seqlen_q": {"max-q-of-lengths": lambda: longest(batch)},
        "max_seqlen_k": {
            "max-k-in-pages": lambda: columns(batch),
            "max-k-rounded": lambda: columns(batch) * size,
            "max-k-of-queries": lambda: max(lens_q, default=0),
            "max-k-width": lambda: table.shape[1],
        },
    }


def verify(
    got: Any, batch: Batch, fields: tuple[str, ...], *, because: str = "", device: str = "cpu"
) -> None:
    """The ``fields`` of the metadata are right; ``because`` names what the case was made to see."""
    check.that(isinstance(got, dict), mistake="not-a-dict", field="meta", got=got)
    check.keys(got, (*TENSORS, *NUMBERS), mistake="missing-key", field="meta")
    want, known = expected(batch), named(batch)
    for field in fields:
        if field in NUMBERS:
            is_int = isinstance(got[field], int) and not isinstance(got[field], bool)
            check.that(is_int, mistake="number-type", field=field, got=got[field])
            check.equal(
                got[field], want[field], field=field, mistake=because or "numbers-wrong", known=known[field]
            )
            continue
        like = want[field]
        if field == "page_table" and device == "cpu":
            like = with_their_junk(got[field], like, batch)
        check.tensor(
            got[field],
            like=like.to(device),
            field=field,
            mistake=because or f"{field}-wrong",
            dtype="not-int32",
            shape=because or f"{field}-wrong",
            device="wrong-device",
            contiguous="not-contiguous",
            known=known[field] if device == "cpu" and not because else None,
        )


def with_their_junk(got: Any, like: torch.Tensor, batch: Batch) -> torch.Tensor:
    """``like`` with the received cells where nobody may read: their numbers are free."""
    if not isinstance(got, torch.Tensor) or got.shape != like.shape or got.dtype != torch.int32:
        return like
    mine = like.clone()
    for i, (_, _, end) in enumerate(batch.reqs):
        mine[i, -(-end // batch.size) :] = got[i, -(-end // batch.size) :]
    return mine
