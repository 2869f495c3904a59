"""How many stale keys a query would read: by marking the slots of this round, and the wrong counts with a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from judge.grading.author import check

Span = tuple[int, int]  # cached_len, device_len


def table(counts: Sequence[int]) -> torch.Tensor:
    """The counts as int32 [N]."""
    return torch.tensor(list(counts), dtype=torch.int32)


def expected(reqs: Sequence[Span]) -> torch.Tensor:
    """By definition: of the keys 0 to the query's own position, those from ``cached_len`` on."""
    return table(
        sum(key >= start for key in range(position + 1))
        for start, end in reqs
        for position in range(start, end)
    )


def named(reqs: Sequence[Span]) -> dict[str, Callable[[], torch.Tensor]]:
    """Wrong counts by mistake."""
    spans = [(start, end, position) for start, end in reqs for position in range(start, end)]
    return {
        "stale-all-visible": lambda: table(position + 1 for _, _, position in spans),
        "stale-own-missing": lambda: table(position - start for start, _, position in spans),
        "stale-one-each": lambda: table(1 for _ in spans),
        "stale-not-causal": lambda: table(end - start for start, end, _ in spans),
        "stale-prefix-counted": lambda: table(start for start, _, _ in spans),
        "stale-across-requests": lambda: table(range(1, len(spans) + 1)),
        "stale-by-request": lambda: table(end - start for start, end in reqs),
        "stale-reversed": lambda: table(end - position for _, end, position in spans),
    }


def verify(got: Any, reqs: Sequence[Span], *, because: str = "") -> None:
    """``got`` counts the stale keys of each query."""
    check.that(isinstance(got, torch.Tensor), mistake="stale-not-a-tensor", field="stale_keys", got=got)
    check.tensor(
        got,
        like=expected(reqs),
        field="stale_keys",
        mistake=because or "stale-values",
        dtype="stale-not-int32",
        known={} if because else named(reqs),
    )
