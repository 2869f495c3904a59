"""#189: what its cases expect agrees with the reference engine, and every named mistake is a mistake."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from minisgl.attention.torch_backend import TorchAttnMetadata, attend_varlen

from judge.grading.seeds import rng_for

SPANS = [[(0, 6), (4, 7), (8, 9)], [(0, 5), (11, 12), (4, 9), (30, 31), (0, 1)], [(6, 7), (19, 20)]]


@pytest.mark.parametrize("spans", SPANS)
@pytest.mark.parametrize(("heads", "kv_heads", "dim"), [(4, 2, 16), (5, 5, 20), (7, 1, 1)])
def test_the_oracle_agrees_with_the_reference_backend(
    beside189: SimpleNamespace, spans: Any, heads: int, kv_heads: int, dim: int
) -> None:
    rng = rng_for("seed", "case")
    batch = beside189.batches.make(rng, spans, dummies=2)
    call = beside189.attention.inputs(
        rng, batch, heads, kv_heads, dim, dtype=torch.float64, poison=float("nan")
    )
    meta = call.meta
    ours = TorchAttnMetadata(meta["cu_seqlens_q"], meta["cache_seqlens"], meta["page_table"], max_seqlen_q=9)
    engine = attend_varlen(call.q, call.k_pool, call.v_pool, ours, dim**-0.5)
    torch.testing.assert_close(beside189.attention.attention(call), engine, atol=1e-12, rtol=1e-12)
    assert torch.equal(ours.get_last_indices(len(spans)), meta["last_indices"])


def test_the_books_batch_has_the_books_metadata(beside189: SimpleNamespace) -> None:
    meta = beside189.metadata.expected(beside189.batches.book())
    assert meta["cu_seqlens_q"].tolist() == [0, 6, 9, 10]
    assert meta["cache_seqlens"].tolist() == [6, 7, 9]
    assert meta["page_table"].tolist() == [
        [0, 1, 2, 3, 4, 5, 0, 0, 0],
        [40, 41, 42, 43, 20, 21, 22, 0, 0],
        [50, 51, 52, 53, 54, 55, 56, 57, 58],
    ]
    assert (meta["max_seqlen_k"], meta["last_indices"].tolist()) == (9, [5, 8, 9])


def test_every_named_way_of_attending_differs_from_the_right_one(beside189: SimpleNamespace) -> None:
    attention, rng = beside189.attention, rng_for("seed", "case")
    calls = [
        attention.inputs(rng, beside189.batches.make(rng, spans, dummies=1), heads, kv_heads, dim)
        for spans, heads, kv_heads, dim in (
            ([(8, 9), (0, 6), (4, 7)], 6, 3, 24),
            ([(0, 6), (4, 7), (8, 9)], 12, 4, 10),
        )
    ]
    rights = [attention.attention(call) for call in calls]
    never = [
        key
        for key in attention.named(calls[0])
        if all(
            torch.allclose(right, attention.named(call)[key]().double(), atol=1e-3)
            for right, call in zip(rights, calls, strict=True)
        )
    ]
    assert never == []


def test_rows_and_slots_of_a_batch_do_not_overlap(beside189: SimpleNamespace) -> None:
    for number in range(20):
        batch = beside189.batches.make(rng_for("seed", str(number)), SPANS[1], dummies=3)
        rows = [row for row, _, _ in batch.reqs]
        assert len(set(rows)) == len(rows)
        assert batch.padded[-1][0] not in rows
        assert int(batch.owned().sum()) == sum(end for _, _, end in batch.reqs) + 1
        assert not batch.owned()[[0, -1]].any()


def test_dummies_share_a_row_in_the_middle_of_the_table(beside189: SimpleNamespace) -> None:
    batch = beside189.batches.make(rng_for("seed", "case"), SPANS[0], dummies=3)
    assert len(set(batch.padded[3:])) == 1
    assert 0 < batch.padded[-1][0] < batch.table.shape[0] - 1
