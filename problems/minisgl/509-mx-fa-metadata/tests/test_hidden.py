"""Hidden cases: batches on pages of several sizes, then what was made to see one mistake."""

from __future__ import annotations

from typing import Any

import pytest

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .pages import NUMBERS, TENSORS, Batch, make, verify

LENGTHS = ("cu_seqlens_q", "cu_seqlens_k", "cache_seqlens", *NUMBERS)
MIXED = [(0, 5), (11, 12), (4, 9), (30, 31), (0, 1)]
DECODE = [(6, 7), (19, 20), (0, 1), (12, 13)]


@case(part="lengths", points=6)
@pytest.mark.parametrize("spans", [MIXED, DECODE, [(0, 9), (0, 17)]], ids=["mixed", "decode", "prefill"])
def test_lengths(submission: Any, rng: Rng, spans: list[tuple[int, int]]) -> None:
    batch = make(rng, spans, 4)
    verify(submission.fa_metadata(*batch), batch, LENGTHS)


@case(part="lengths", points=6)
def test_lengths_equal_dummies(submission: Any, rng: Rng) -> None:
    batch = make(rng, DECODE, 4, dummies=3)
    verify(submission.fa_metadata(*batch), batch, LENGTHS)


@case(part="lengths", points=4, means={"RE": "empty-fails"})
def test_lengths_empty_batch(submission: Any, rng: Rng) -> None:
    batch = make(rng, [], 3)
    verify(submission.fa_metadata(*batch), batch, (*LENGTHS, "page_table"), because="empty")


@case(part="lengths", points=8)
def test_lengths_leaves_inputs_alone(submission: Any, rng: Rng) -> None:
    for size in (1, 4):
        batch = make(rng, DECODE, size, dummies=1)
        meta, reqs, table = submission.harness.call_and_show_inputs(*batch)
        verify(meta, batch, LENGTHS)
        check.equal(reqs, batch.reqs, field="padded_reqs", mistake="requests-changed")
        check.tensor(table, like=batch.table, field="page_table", mistake="table-changed")


@case(part="pages", points=5)
@pytest.mark.parametrize("size", [1, 3, 4, 16])
def test_pages(submission: Any, rng: Rng, size: int) -> None:
    batch = make(rng, MIXED, size)
    verify(submission.fa_metadata(*batch), batch, ("page_table",))


@case(part="pages", points=4)
def test_pages_all_full(submission: Any, rng: Rng) -> None:
    """Every length a multiple of the page size, the table just as wide."""
    batch = make(rng, [(4, 10), (0, 5), (14, 15)], 5, extra=0)
    verify(submission.fa_metadata(*batch), batch, ("page_table",))


@case(part="pages", points=4)
def test_pages_equal_dummies(submission: Any, rng: Rng) -> None:
    batch = make(rng, DECODE, 4, dummies=3)
    verify(submission.fa_metadata(*batch), batch, ("page_table",))


@case(part="pages", points=6)
@pytest.mark.parametrize("size", [1, 4])
def test_pages_the_table_changes_afterwards(submission: Any, rng: Rng, size: int) -> None:
    batch = make(rng, [(6, 7)], size, extra=0)
    batch = Batch([(0, start, end) for _, start, end in batch.reqs], batch.table[[batch.reqs[0][0]]], size)
    got = submission.harness.call_then_overwrite(*batch, 7 << 20)
    verify(got, batch, ("page_table",), because="table-alias")


@case(part="pages", points=4)
def test_pages_results_are_separate(submission: Any, rng: Rng) -> None:
    """A prefill without prefix: cu_seqlens_q and cu_seqlens_k are equal, and must not be one tensor."""
    batch = make(rng, [(0, 6), (0, 2)], 4)
    for order in (list(TENSORS), list(TENSORS[::-1])):
        got = submission.harness.call_then_fill(*batch, order, int(rng.integers(1000, 2000)))
        verify(got, batch, TENSORS, because="results-share-storage")


@case(part="pages", points=5, means={"RE": "reads-the-device", "NotImplementedError": "reads-the-device"})
def test_pages_meta_device(submission: Any, rng: Rng) -> None:
    batch = make(rng, MIXED, 4, dummies=1)
    got = submission.fa_metadata(batch.reqs, batch.table.to("meta"), batch.size)
    verify(got, batch, TENSORS, device="meta")


@case(part="pages", points=5, means={"TLE": "python-loop"})
def test_pages_many_requests(submission: Any, rng: Rng) -> None:
    width, count, size = 4096, 512, 4
    table = (rng.ints(0, 1 << 20, count + width) * size).as_strided((count, width), (1, 1))
    reqs = [(int(row), width - 1, width) for row in rng.permutation(count)]
    got = submission.fa_metadata(reqs, table, size)
    want = table[[row for row, _, _ in reqs], ::size] // size
    check.keys(got, TENSORS, mistake="missing-key", field="meta")
    check.tensor(
        got["page_table"], like=want, field="page_table", mistake="page_table-wrong", dtype="not-int32"
    )
