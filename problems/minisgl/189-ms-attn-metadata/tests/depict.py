"""What a failing case of `forward` shows: whose rows, whose slots, who sees whom, and a smaller call with the same mistake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from judge.grading.author import picture, reproduce
from judge.grading.seeds import rng_for

from . import attention, batches
from .attention import Inputs

SMALL: list[tuple[list[batches.Span], int, int, int]] = [
    ([(0, 2), (1, 3)], 1, 1, 2),
    ([(0, 2), (1, 3)], 4, 2, 2),
    ([(2, 3), (0, 3), (3, 5)], 2, 1, 4),
    ([(11, 12)], 1, 1, 32),
]
"""Spans, query heads, KV heads and head size of calls that are tried before the case's own."""


def attend(submission: Any, call: Inputs, **how: Any) -> None:
    """Calls ``forward`` and verifies what came back."""
    depict(submission, call)
    attention.expect(call)
    attention.verify(submission.forward(*call), call, **how)


def depict(submission: Any, call: Inputs) -> None:
    """Names the pictures of one call of ``forward`` and the smaller calls that may take its place."""
    meta = call.meta
    starts, lengths, real = meta["cu_seqlens_q"], meta["cache_seqlens"], len(meta["last_indices"])
    queries = starts[1:] - starts[:-1]
    picture.attention_map(
        lambda q, v_pool: submission.forward(q, call.k_pool, v_pool, meta),
        lambda q, v_pool: attention.attention(replace(call, q=q, v_pool=v_pool)),
        q=call.q,
        v_pool=call.v_pool,
        starts=starts,
        slots=[row[:length] for row, length in zip(meta["page_table"], lengths.tolist(), strict=True)],
        real=real,
    )
    picture.mask(starts, lengths, real=real)
    picture.rows(starts, real=real)
    picture.page_table(
        meta["page_table"], lengths, cached=lengths - queries, slots=len(call.k_pool), real=real
    )
    reproduce.smaller("forward", lambda: smaller(call))


def smaller(call: Inputs) -> Iterator[tuple[tuple[Any, ...], torch.Tensor]]:
    """Calls of a few numbers in the dtype of ``call``, with dummies and poisoned slots where it has them."""
    dtype, dummies = call.q.dtype, len(call.meta["cache_seqlens"]) - len(call.meta["last_indices"])
    poison = float("nan") if bool(call.k_pool.isnan().any()) else None
    for number, (spans, heads, kv_heads, dim) in enumerate(SMALL):
        rng = rng_for("smaller", str(number))
        batch = batches.make(rng, spans, dummies=min(dummies, 1), junk=(-1,))
        one = attention.inputs(rng, batch, heads, kv_heads, dim, dtype=dtype, scale=4.0, poison=poison)
        if dim < 8:  # small whole numbers are easier to read; a larger head is there to show rounding
            one = replace(one, q=_whole(one.q), k_pool=_whole(one.k_pool), v_pool=_whole(one.v_pool))
        yield tuple(one), attention.attention(one).to(dtype)


def _whole(numbers: torch.Tensor) -> torch.Tensor:
    return numbers.round() + 0.0  # no -0.0, which only puzzles
