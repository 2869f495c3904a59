"""Hidden cases: batches on pages of several sizes, then what was made to see one mistake."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .csr import FIELDS, Batch, make, verify
from .paged import Call, attend
from .paged import make as make_call
from .paged import verify as verify_out

MIXED = [(0, 5), (11, 12), (4, 9), (30, 31), (0, 1)]
DECODE = [(6, 7), (19, 20), (0, 1), (15, 16)]


@case(part="meta", points=6)
@pytest.mark.parametrize("size", [1, 3, 4, 16])
def test_meta_mixed(submission: Any, rng: Rng, size: int) -> None:
    batch = make(rng, MIXED, size)
    verify(submission.flashinfer_metadata(*batch), batch)


@case(part="meta", points=5)
def test_meta_leaves_inputs_alone(submission: Any, rng: Rng) -> None:
    for size in (1, 4):
        batch = make(rng, DECODE, size, dummies=1)
        meta, reqs, table = submission.harness.call_and_show_inputs(*batch)
        check.equal(reqs, batch.reqs, field="padded_reqs", mistake="requests-changed")
        check.tensor(table, like=batch.table, field="page_table", mistake="table-changed")
        verify(meta, batch)


@case(part="meta", points=5)
def test_meta_equal_dummies(submission: Any, rng: Rng) -> None:
    batch = make(rng, DECODE, 4, dummies=3)
    verify(submission.flashinfer_metadata(*batch), batch)


@case(part="meta", points=5, means={"RE": "empty-fails"})
def test_meta_empty_batch(submission: Any, rng: Rng) -> None:
    """No request at all; then one."""
    for spans in ([], [(2, 6)]):
        batch = make(rng, spans, 3)
        verify(submission.flashinfer_metadata(*batch), batch, because="" if spans else "empty")


@case(part="meta", points=5)
def test_meta_owns_its_memory(submission: Any, rng: Rng) -> None:
    """The table changes afterwards; and equal sums are not one tensor."""
    for size in (1, 4):
        batch = make(rng, [(6, 7)], size, extra=0)
        verify(submission.flashinfer_metadata(*batch), batch)
        got = submission.harness.call_then_overwrite(*batch, 7 << 20)
        verify(got, batch, because="table-alias")
    batch = make(rng, [(0, 6), (0, 2)], 1)
    verify(submission.flashinfer_metadata(*batch), batch)
    for order in (list(FIELDS), list(FIELDS[::-1])):
        got = submission.harness.call_then_fill(*batch, order, int(rng.integers(1000, 2000)))
        verify(got, batch, because="results-share-storage")


@case(part="meta", points=5, means={"TLE": "page-by-page"})
def test_meta_many_pages(submission: Any, rng: Rng) -> None:
    """256 requests with 4096 pages of one token each."""
    width, count = 4096, 256
    table = rng.ints(0, 1 << 20, count + width).as_strided((count, width), (1, 1))
    reqs = [(int(row), width - 1, width) for row in rng.permutation(count)]
    got = submission.flashinfer_metadata(reqs, table, 1)
    want = table[[row for row, _, _ in reqs]].flatten()
    check.keys(got, FIELDS, mistake="missing-key", field="meta")
    check.tensor(
        got["kv_indices"], like=want, field="kv_indices", mistake="kv_indices-wrong", dtype="not-int32"
    )


@case(part="meta", points=5, means={"RE": "reads-the-device", "NotImplementedError": "reads-the-device"})
def test_meta_table_elsewhere(submission: Any, rng: Rng) -> None:
    """A table on the meta device: numbers for plan() stay on the host, pages on the table's device."""
    batch = make(rng, MIXED, 4, dummies=1)
    got = submission.flashinfer_metadata(batch.reqs, batch.table.to("meta"), batch.size)
    verify(got, batch, device="meta")


@case(part="attention", points=4)
@pytest.mark.parametrize("size", [1, 4, 8])
def test_attention_mixed(submission: Any, rng: Rng, size: int) -> None:
    attend(submission, rng, make(rng, [(0, 5), (11, 12), (4, 9), (0, 1)], size), 6, 3, 16)


@case(part="attention", points=4)
@pytest.mark.parametrize(("heads", "kv_heads", "dim"), [(5, 5, 20), (7, 1, 3)], ids=["5-5", "7-1"])
def test_attention_heads(submission: Any, rng: Rng, heads: int, kv_heads: int, dim: int) -> None:
    attend(submission, rng, make(rng, [(3, 7), (9, 10)], 4), heads, kv_heads, dim)


@case(part="attention", points=4)
def test_attention_shared_pages(submission: Any, rng: Rng) -> None:
    """A common prefix: two requests whose first pages are the same ones; and two equal dummies."""
    batch = make(rng, [(8, 11), (8, 9)], 4, dummies=2)
    batch.table[batch.reqs[1][0], :8] = batch.table[batch.reqs[0][0], :8]
    attend(submission, rng, batch, 4, 2, 8)


@case(part="attention", points=4, means={"RE": "half-mixed"})
def test_attention_float16(submission: Any, rng: Rng) -> None:
    """Scores large enough that rounding them to half precision is seen for every seed."""
    attend(submission, rng, make(rng, [(0, 40), (40, 41)], 16), 4, 2, 32, dtype=torch.float16, sharp=4.0)


@case(part="attention", points=4, means={"RE": "empty-fails"})
def test_attention_empty_batch(submission: Any, rng: Rng) -> None:
    """No request at all; then one."""
    for spans in ([], [(2, 6)]):
        attend(submission, rng, make(rng, spans, 3), 4, 2, 8)


@case(part="attention", points=4)
def test_attention_leaves_inputs_alone(submission: Any, rng: Rng) -> None:
    batch: Batch = make(rng, [(2, 5), (0, 3)], 4)
    call, pages = make_call(rng, batch, 4, 2, 8)
    out, *after, meta = submission.harness.attend_and_show(*call)
    verify_out(out, call, batch, pages)
    for name, mine, before in zip(Call._fields, [*after], call, strict=False):
        check.tensor(mine, like=before, field=name, mistake="inputs-changed")
    for field in FIELDS:
        check.tensor(meta[field], like=call.meta[field], field=field, mistake="inputs-changed")
