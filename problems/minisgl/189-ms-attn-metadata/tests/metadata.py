"""What `prepare_metadata` must return, the wrong answers that have a name, and the check that tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from typing import Any

import torch

from judge.grading.author import check, picture

from .batches import Batch, Request

KEYS = ("cu_seqlens_q", "cache_seqlens", "max_seqlen_k", "page_table", "last_indices")
Named = Mapping[str, Callable[[], Any]]


def ints(values: Iterable[int]) -> torch.Tensor:
    """A one-dimensional int32 tensor."""
    return torch.tensor(list(values), dtype=torch.int32)


def cumulative(lengths: Iterable[int]) -> torch.Tensor:
    """int32 ``[0, l0, l0 + l1, ...]``."""
    return ints(accumulate(lengths, initial=0))


def extends(padded: list[Request]) -> list[int]:
    """Query counts."""
    return [end - start for _, start, end in padded]


def longest(padded: list[Request]) -> int:
    """The largest device_len, 0 for an empty batch."""
    return max((end for _, _, end in padded), default=0)


def rows_of(table: torch.Tensor, rows: Iterable[int], columns: int) -> torch.Tensor:
    """int32 [len(rows), columns], a contiguous copy."""
    found = [table[row, :columns].to(torch.int32) for row in rows]
    return torch.stack(found) if found else torch.empty((0, columns), dtype=torch.int32)


def expected(batch: Batch) -> dict[str, Any]:
    """The right metadata, on the CPU."""
    cu = cumulative(extends(batch.padded))
    columns = longest(batch.padded)
    return {
        "cu_seqlens_q": cu,
        "cache_seqlens": ints(end for _, _, end in batch.padded),
        "max_seqlen_k": columns,
        "page_table": rows_of(batch.table, (row for row, _, _ in batch.padded), columns),
        "last_indices": ints(int(end) - 1 for end in cu[1 : len(batch.reqs) + 1]),
    }


def verify(
    got: Any,
    batch: Batch,
    *,
    want: Mapping[str, Any] | None = None,
    device: str = "cpu",
    because: str = "",
    also: Mapping[str, Named] | None = None,
) -> None:
    """``got`` is the metadata of ``batch`` on ``device``; ``want`` is what is `expected`, where it is known already.

    ``because`` names the mistake where the case was made to see one and no better name fits; ``also`` adds wrong
    answers by field, tried first.
    """
    also = also or {}
    check.that(isinstance(got, dict), mistake="not-a-dict", field="meta", got=got)
    check.keys(got, KEYS, mistake="missing-key", field="meta")
    want = want or expected(batch)
    depict(got, want, batch)
    for key in KEYS:
        if key == "max_seqlen_k":
            verify_longest(got[key], batch, because)
            continue
        check.that(isinstance(got[key], torch.Tensor), mistake="not-a-tensor", field=key, got=got[key])
        check.tensor(
            got[key],
            like=want[key].to(device),
            field=key,
            mistake=because or f"{key}-values",
            dtype=dtype_key(key, got[key]),
            shape=because or f"{key}-shape",
            device="wrong-device",
            contiguous=f"{key}-not-contiguous" if key == "page_table" else "not-contiguous",
            known={**also.get(key, {}), **(NAMED[key](batch) if device == "cpu" else {})},
        )


def depict(got: Mapping[str, Any], want: Mapping[str, Any], batch: Batch) -> None:
    """Names the pictures: who owns which rows, whose slots are where, each with what was returned beside it."""
    real, starts = len(batch.reqs), want["cu_seqlens_q"]
    cached = [start for _, start, _ in batch.padded]
    picture.rows(starts, got=got["cu_seqlens_q"], real=real)
    picture.page_table(
        want["page_table"],
        want["cache_seqlens"],
        cached=cached,
        slots=batch.slots,
        got=got["page_table"],
        real=real,
    )


def prepare(submission: Any, batch: Batch, **how: Any) -> None:
    """Calls ``prepare_metadata`` and verifies what came back."""
    want = expected(batch)  # before the call: meanwhile the cell is at the case before
    verify(submission.prepare_metadata(batch.reqs, batch.padded, batch.table), batch, want=want, **how)


def dtype_key(key: str, got: Any) -> str:
    """int64 has its own advice for each field, because it comes from somewhere else in each."""
    return f"{key}-int64" if getattr(got, "dtype", None) == torch.int64 else "not-int32"


def verify_longest(got: Any, batch: Batch, because: str) -> None:
    """``max_seqlen_k`` is an int and nothing like one."""
    field = "max_seqlen_k"
    check.that(not isinstance(got, torch.Tensor), mistake="max_seqlen_k-tensor", field=field, got=got)
    check.that(not isinstance(got, bool), mistake="max_seqlen_k-bool", field=field, got=got)
    check.that(isinstance(got, int), mistake="max_seqlen_k-type", field=field, got=got)
    width = batch.table.shape[1]
    want = longest(batch.padded)
    known = {
        "max_seqlen_k-from-reqs": lambda: longest(batch.reqs),
        "max_seqlen_k-last-request": lambda: batch.padded[-1][2] if batch.padded else None,
        "max_seqlen_k-extend": lambda: max(extends(batch.padded), default=0),
        "max_seqlen_k-width": lambda: width,
        "max_seqlen_k-aligned": lambda: got if got > want and got % 8 == 0 else None,
    }
    check.equal(got, want, field=field, mistake=because or "max_seqlen_k-values", known=known)


def cu_named(batch: Batch) -> Named:
    """Wrong ``cu_seqlens_q`` by mistake."""
    padded, counts = batch.padded, extends(batch.padded)
    lens = [end for _, _, end in padded]
    real = len(batch.reqs)
    named = {
        "cu_seqlens_q-no-zero": lambda: cumulative(counts)[1:],
        "cu_seqlens_q-not-summed": lambda: ints([0, *counts]),
        "cu_seqlens_q-cached-len": lambda: cumulative(start for _, start, _ in padded),
        "from-reqs": lambda: cumulative(counts[:real]),
        "dummies-merged": lambda: cumulative(extends(list(dict.fromkeys(padded)))),
        "dummy-zero-len": lambda: cumulative(counts[:real] + [0] * (len(padded) - real)),
        "dummy-assumed": lambda: cumulative(counts[:real] + [1] * (len(padded) - real)),
        "rows-sorted": lambda: cumulative(extends(sorted(padded))),
        "sorted-by-length": lambda: cumulative(extends(sorted(padded, key=lambda r: -r[2]))),
    }
    if shortcut := shortcut_key(padded):
        named[shortcut] = lambda: ints(range(len(padded) + 1))
    without_prefix = "shortcut-no-prefix" if padded and not padded[-1][1] else "cu_seqlens_q-device-len"
    named[without_prefix] = lambda: cumulative(lens)
    return named


def shortcut_key(padded: list[Request]) -> str:
    """What may have made somebody take ``padded`` for a decode batch; "" if nothing."""
    counts = extends(padded)
    if counts[:1] == [1]:
        return "shortcut-first-request"
    if counts[-1:] == [1]:
        return "shortcut-last-request"
    return "shortcut-cached" if padded and all(start for _, start, _ in padded) else ""


def lens_named(batch: Batch) -> Named:
    """Wrong ``cache_seqlens`` by mistake."""
    padded, real = batch.padded, len(batch.reqs)
    lens = [end for _, _, end in padded]
    return {
        "cache_seqlens-extend": lambda: ints(extends(padded)),
        "cache_seqlens-cached": lambda: ints(start for _, start, _ in padded),
        "from-reqs": lambda: ints(lens[:real]),
        "dummies-merged": lambda: ints(end for _, _, end in dict.fromkeys(padded)),
        "dummy-zero-len": lambda: ints(lens[:real] + [0] * (len(padded) - real)),
        "dummy-assumed": lambda: ints(lens[:real] + [1] * (len(padded) - real)),
        "cache_seqlens-longest": lambda: ints([longest(padded)] * len(padded)),
        "cache_seqlens-from-cells": lambda: ints(int((batch.table[row] >= 0).sum()) for row, _, _ in padded),
        "rows-sorted": lambda: ints(end for _, _, end in sorted(padded)),
        "sorted-by-length": lambda: ints(sorted(lens, reverse=True)),
    }


def table_named(batch: Batch) -> Named:
    """Wrong ``page_table`` by mistake."""
    padded, table, real = batch.padded, batch.table, len(batch.reqs)
    columns = longest(padded)
    rows = [row for row, _, _ in padded]

    def cleared(fill: int) -> torch.Tensor:
        copy = rows_of(table, rows, columns)
        for i, (_, _, end) in enumerate(padded):
            copy[i, end:] = fill
        return copy

    last_row = table.shape[0] - 1
    return {
        "page_table-row-position": lambda: rows_of(table, range(min(len(padded), table.shape[0])), columns),
        "from-reqs": lambda: rows_of(table, rows[:real], columns),
        "dummies-merged": lambda: rows_of(table, (row for row, _, _ in dict.fromkeys(padded)), columns),
        "page_table-too-wide": lambda: rows_of(table, rows, table.shape[1]),
        "page_table-cleared": lambda: cleared(0),
        "page_table-filled": lambda: cleared(-1),
        "page_table-clamped": lambda: rows_of(table, rows, columns).clamp(min=0),
        "page_table-through-float": lambda: rows_of(table, rows, columns).float().to(torch.int32),
        "page_table-last-row": lambda: rows_of(table, rows[:real] + [last_row] * (len(rows) - real), columns),
        "rows-sorted": lambda: rows_of(table, sorted(rows), columns),
    }


def last_named(batch: Batch) -> Named:
    """Wrong ``last_indices`` by mistake."""
    cu, real = cumulative(extends(batch.padded)), len(batch.reqs)
    dummies = len(batch.padded) - real
    return {
        "last_indices-padded": lambda: cu[1:] - 1,
        "last_indices-one-past": lambda: cu[1 : real + 1],
        "last_indices-first-token": lambda: cu[:real],
        "last_indices-in-sequence": lambda: ints(end - 1 for _, _, end in batch.reqs),
        "last_indices-negative-slice": lambda: cu[1 : -dummies or 1] - 1,
        "last_indices-from-end": lambda: cu[1:][-real:] - 1,
        "last_indices-one-short": lambda: cu[1:real] - 1,
    }


NAMED: Mapping[str, Callable[[Batch], Named]] = {
    "cu_seqlens_q": cu_named,
    "cache_seqlens": lens_named,
    "page_table": table_named,
    "last_indices": last_named,
}
