"""Hidden cases, fresh inputs for each judgement. Those made for one mistake say which by ``because``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from . import attention, batches, metadata
from .attention import Inputs, whole_numbers
from .batches import Batch, Span
from .depict import attend
from .metadata import prepare

MIXED: list[Span] = [(0, 5), (11, 12), (4, 9), (30, 31), (0, 1)]
DECODE: list[Span] = [(6, 7), (19, 20), (0, 1), (12, 13)]
BATCHES: dict[str, list[Span]] = {
    "rows-in-any-order": MIXED,
    "decode-comes-first": [(8, 9), (0, 6), (4, 10)],
    "decode-comes-last": [(0, 6), (4, 7), (8, 9)],
    "all-have-a-prefix": [(13, 20), (3, 8), (31, 40)],
    "prefix-then-none": [(5, 9), (16, 19), (0, 4)],
    "pure-decode": DECODE,
    "pure-prefill": [(0, 9), (0, 1), (0, 17)],
    "one-request": [(4, 7)],
}


# --- prepare_metadata: which request, which row; first of all what is kept from one batch to the next ---


@case(part="prepare_metadata", points=3)
def test_prepare_two_batches(submission: Any, rng: Rng) -> None:
    first = batches.make(rng, [(2, 7), (8, 9), (0, 3)])
    second = batches.make(rng, [(0, 4), (3, 9), (4, 5)])
    calls = [[batch.reqs, batch.padded, batch.table] for batch in (first, second)]
    got = submission.harness.prepare_twice(*calls)
    metadata.verify(got[1], second, because="state-between-batches")
    metadata.verify(got[0], first, because="buffer-reused")


@case(part="prepare_metadata", points=1)
@pytest.mark.parametrize("spans", BATCHES.values(), ids=BATCHES)
def test_prepare(submission: Any, rng: Rng, spans: list[Span]) -> None:
    prepare(submission, batches.make(rng, spans))


# --- prepare_metadata: dummies and batches without requests ---


@case(part="prepare_metadata", points=3)
def test_prepare_equal_dummies(submission: Any, rng: Rng) -> None:
    prepare(submission, batches.make(rng, DECODE[:3], dummies=5))


@case(part="prepare_metadata", points=2)
def test_prepare_long_dummies(submission: Any, rng: Rng) -> None:
    prepare(submission, batches.make(rng, DECODE[:2], dummies=[(0, 1), (20, 24)]))


@case(part="prepare_metadata", points=2, means={"RE": "capture-batch-fails"})
def test_prepare_capture_batch(submission: Any, rng: Rng) -> None:
    prepare(submission, batches.make(rng, [], dummies=4), because="capture-batch")


@case(part="prepare_metadata", points=2, means={"RE": "empty-batch-fails"})
def test_prepare_empty_batch(submission: Any, rng: Rng) -> None:
    batch = batches.make(rng, [], width=12)
    assert batch.table.shape[0] > 0
    prepare(submission, batch, because="empty-batch")


@case(part="prepare_metadata", points=1)
def test_prepare_lengths_of_one(submission: Any, rng: Rng) -> None:
    prepare(submission, batches.make(rng, [(0, 1)] * 3, width=1))


# --- prepare_metadata: what tables look like ---


@case(part="prepare_metadata", points=3)
def test_prepare_int64_table(submission: Any, rng: Rng) -> None:
    batch = batches.make(rng, MIXED)
    prepare(submission, batch.with_table(batch.table.long()))


@case(part="prepare_metadata", points=2)
def test_prepare_extreme_cells(submission: Any, rng: Rng) -> None:
    edges = [batches.INT32.min, batches.INT32.max, (1 << 24) + 1, -1]
    prepare(submission, batches.make(rng, MIXED, junk=edges))


@case(part="prepare_metadata", points=2, means={"RE": "view-of-strided"})
def test_prepare_transposed_table(submission: Any, rng: Rng) -> None:
    batch = batches.make(rng, MIXED)
    turned = batch.table.T.contiguous().T
    prepare(submission, batch.with_table(turned), because="strides-ignored")


@case(part="prepare_metadata", points=2, means={"RE": "view-of-strided"})
def test_prepare_table_cut_from_a_larger_one(submission: Any, rng: Rng) -> None:
    batch = batches.make(rng, MIXED)
    rows, width = batch.table.shape
    larger = rng.ints(0, batch.slots, rows + 2, 2 * width + 3)
    cut = larger[2:, 1 : 2 * width + 1 : 2]
    cut.copy_(batch.table)
    prepare(submission, batch.with_table(cut), because="strides-ignored")


# --- prepare_metadata: who owns what ---


@case(part="prepare_metadata", points=2)
@pytest.mark.parametrize("spans", [DECODE, DECODE[:1]], ids=["whole", "one-row"])
def test_prepare_owns_its_table(submission: Any, rng: Rng, spans: list[Span]) -> None:
    batch = batches.make(rng, spans, in_order=True, width=max(end for _, end in spans))
    other = batch.with_table(batch.other_table(rng))
    got = submission.harness.prepare_then_overwrite(batch.reqs, batch.padded, batch.table, other.table)
    alias = {"page_table": {"page_table-alias": lambda: metadata.expected(other)["page_table"]}}
    metadata.verify(got, batch, also=alias)


@case(part="prepare_metadata", points=2)
def test_prepare_leaves_inputs_alone(submission: Any, rng: Rng) -> None:
    batch = batches.make(rng, MIXED[::-1], dummies=2)
    after = submission.harness.prepare_and_show_inputs(batch.reqs, batch.padded, batch.table)
    metadata.verify(after["meta"], batch)
    mistake = "requests-changed"
    check.equal(after["reqs"], batch.reqs, field="reqs", mistake=mistake)
    check.equal(after["padded_reqs"], batch.padded, field="padded_reqs", mistake=mistake)
    check.tensor(after["page_table"], like=batch.table, field="page_table", mistake="table-changed")


@case(part="prepare_metadata", points=2)
@pytest.mark.parametrize("spans", [DECODE, [(0, 6), (0, 2)]], ids=["decode", "prefill"])
def test_prepare_results_are_separate(submission: Any, rng: Rng, spans: list[Span]) -> None:
    batch = batches.make(rng, spans)
    number = int(rng.integers(1000, 2000))
    keys = list(metadata.KEYS)
    for order in (keys, keys[::-1]):
        got = submission.harness.prepare_then_fill(batch.reqs, batch.padded, batch.table, order, number)
        metadata.verify(got, batch, because="results-share-storage")


# --- prepare_metadata: no loop over what is on the device ---


@case(part="prepare_metadata", points=3, means={"RE": "reads-the-device"})
def test_prepare_meta_device(submission: Any, rng: Rng) -> None:
    batch = batches.make(rng, MIXED, dummies=1)
    got = submission.prepare_metadata(batch.reqs, batch.padded, batch.table.to("meta"))
    metadata.verify(got, batch, device="meta")


@case(part="prepare_metadata", points=3, means={"TLE": "python-loop"})
def test_prepare_many_requests(submission: Any, rng: Rng) -> None:
    width, count = 2048, 512
    # overlapping rows: a megabyte of cells from a few thousand numbers
    table = rng.ints(0, 1 << 30, count + width).as_strided((count, width), (1, 1))
    reqs = [
        (int(row), int(end) - 1, int(end))
        for row, end in zip(rng.permutation(count), rng.integers(1, width, count), strict=True)
    ]
    reqs[int(rng.integers(count))] = (0, 0, width)
    prepare(submission, Batch(reqs, list(reqs), table, slots=1 << 30))


# --- forward: what is kept from one batch to the next; who sees what ---


@case(part="forward", points=2)
def test_forward_two_batches(submission: Any, rng: Rng) -> None:
    """Two batches of one form in turn, then the first output again."""
    spans: list[list[Span]] = [[(4, 7), (11, 12), (0, 5)], [(0, 5), (2, 5), (20, 21)]]
    calls = [attention.inputs(rng, batches.make(rng, one), 4, 2, 16) for one in spans]
    attention.expect(*calls)
    got = submission.harness.forward_twice(*[list(call) for call in calls])
    attention.verify(
        got[1],
        calls[1],
        because="forward-state",
        also={"plan-stale": lambda: attention.with_stale_plan(calls[1], calls[0].meta)},
    )
    attention.verify(got[0], calls[0], because="out-buffer-reused")


@case(part="forward", points=1)
@pytest.mark.parametrize("spans", BATCHES.values(), ids=BATCHES)
def test_forward(submission: Any, rng: Rng, spans: list[Span]) -> None:
    attend(submission, attention.inputs(rng, batches.make(rng, spans), 4, 2, 16))


@case(part="forward", points=1)
def test_forward_shared_prefix(submission: Any, rng: Rng) -> None:
    batch = batches.make(rng, [(12, 16), (12, 13), (12, 18)])
    rows = [row for row, _, _ in batch.reqs]
    for row in rows[1:]:
        batch.table[row, :12] = batch.table[rows[0], :12]
    attend(submission, attention.inputs(rng, batch, 4, 2, 16), because="shared-slots", nan="shared-slots")


@case(part="forward", points=1, means={"RE": "head-group-of-two"})
@pytest.mark.parametrize(("heads", "kv_heads"), [(5, 5), (7, 1), (6, 2), (12, 4)])
def test_forward_heads(submission: Any, rng: Rng, heads: int, kv_heads: int) -> None:
    attend(submission, attention.inputs(rng, batches.make(rng, MIXED), heads, kv_heads, 16))


@case(part="forward", points=1)
@pytest.mark.parametrize("dim", [20, 80])
def test_forward_head_dim(submission: Any, rng: Rng, dim: int) -> None:
    attend(submission, attention.inputs(rng, batches.make(rng, MIXED), 4, 2, dim), because="scale-fixed")


@case(part="forward", points=1)
def test_forward_everything_is_one(submission: Any, rng: Rng) -> None:
    attend(submission, attention.inputs(rng, batches.make(rng, [(5, 6)]), 1, 1, 1), shape="out-squeezed")


@case(part="forward", points=1, means={"RE": "forward-empty-fails"})
def test_forward_empty_batch(submission: Any, rng: Rng) -> None:
    """And one of a single token, lest an answer of nothing be right."""
    attend(submission, attention.inputs(rng, batches.make(rng, []), 4, 2, 16), because="forward-empty")
    attend(submission, attention.inputs(rng, batches.make(rng, [(2, 3)]), 4, 2, 16))


@case(part="forward", points=1)
def test_forward_dummy_rows(submission: Any, rng: Rng) -> None:
    batch = batches.make(rng, [(0, 5), (7, 8)], dummies=3)
    call = attention.inputs(rng, batch, 4, 2, 16)
    attend(submission, call, because="dummy-rows", nan="dummy-rows")


# --- forward: precision and range ---


@case(part="forward", points=1)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
def test_forward_half(submission: Any, rng: Rng, dtype: torch.dtype) -> None:
    batch = batches.make(rng, [(90, 96), (127, 128), (0, 70)])
    attend(
        submission, attention.inputs(rng, batch, 4, 2, 64, dtype=dtype, scale=4.0), because="half-precision"
    )


@case(part="forward", points=2)
def test_forward_float64(submission: Any, rng: Rng) -> None:
    call = attention.inputs(rng, batches.make(rng, MIXED), 4, 2, 24, dtype=torch.float64)
    attend(submission, call, because="float64-narrowed")


@case(part="forward", points=1)
def test_forward_rows_of_different_size(submission: Any, rng: Rng) -> None:
    """Scores near 60 and near -60: no overflow anywhere, but too far apart for one common maximum."""
    call = whole_numbers(rng, batches.make(rng, [(20, 24), (0, 6), (40, 41)]), 3, 2)
    call.k_pool[..., 0] = 1.0
    call.q[..., 0] = 240.0
    call.q[::2, ::2, 0] = -240.0
    attend(submission, call, because="scores-clamped", nan="softmax-common-maximum")


@case(part="forward", points=1)
def test_forward_large_scores(submission: Any, rng: Rng) -> None:
    call = whole_numbers(rng, batches.make(rng, [(27, 28), (11, 12), (40, 41)]), 1000, 3)
    attend(submission, call, because="scores-clamped", nan="softmax-overflows")


@case(part="forward", points=2)
def test_forward_future_scores_are_higher(submission: Any, rng: Rng) -> None:
    """Scores rise by 2048 a key and stay negative: a hidden key's is above every visible one."""
    batch = batches.make(rng, [(4, 20), (0, 9)])
    call = whole_numbers(rng, batch, 3, 0)
    call.q[..., 0] = 1024.0
    for row, _, end in batch.reqs:
        call.k_pool[batch.table[row, :end].long(), :, 0] = 8.0 * (torch.arange(end) - end)[:, None]
    attend(submission, call, because="mask-finite", nan="maximum-before-mask")


# --- forward: layouts and buffers ---


@case(part="forward", points=2, means={"RE": "view-of-strided"})
def test_forward_strided_views(submission: Any, rng: Rng) -> None:
    call = attention.inputs(rng, batches.make(rng, MIXED), 4, 2, 16)
    qkv = rng.tensor(len(call.q), 8, 16)
    kv = rng.tensor(2, 2, len(call.k_pool), 16)
    q, k_pool, v_pool = qkv[:, 2:6], kv[0].transpose(0, 1), kv[1].transpose(0, 1)
    for view, values in ((q, call.q), (k_pool, call.k_pool), (v_pool, call.v_pool)):
        view.copy_(values)
    attend(submission, Inputs(q, k_pool, v_pool, call.meta), because="strides-ignored")


@case(part="forward", points=2, means={"RE": "captured-buffers"})
def test_forward_captured_buffers(submission: Any, rng: Rng) -> None:
    """Metadata as a captured graph has them: slices of buffers, the table far wider than any KV."""
    batch = batches.make(rng, [(5, 6), (20, 21), (0, 1), (12, 13)], dummies=1, width=64, junk=(0, 3, 11))
    call = attention.inputs(rng, batch, 4, 2, 16)
    size = len(batch.padded)
    table = torch.zeros(8, 64, dtype=torch.int32)
    table[:size] = metadata.rows_of(batch.table, (row for row, _, _ in batch.padded), 64)
    lens = torch.ones(8, dtype=torch.int32)
    lens[:size] = call.meta["cache_seqlens"]
    meta = {
        "cu_seqlens_q": torch.arange(9, dtype=torch.int32)[: size + 1],
        "cache_seqlens": lens[:size],
        "max_seqlen_k": 64,
        "page_table": table[:size],
        "last_indices": call.meta["last_indices"],
    }
    attend(submission, replace(call, meta=meta), because="captured-buffers")


@case(part="forward", points=1, means={"RE": "junk-gathered"})
@pytest.mark.parametrize("poison", [float("nan"), float("inf")], ids=["nan", "inf"])
def test_forward_poison(submission: Any, rng: Rng, poison: float) -> None:
    """Unowned slots are poisoned; unused cells point at them."""
    batch = batches.make(rng, MIXED, dummies=1, junk=(-1, 0))
    call = attention.inputs(rng, batch, 4, 2, 16, poison=poison)
    attend(submission, call, nan="poison-read")


@case(part="forward", points=1, means={"RE": "junk-gathered"})
def test_forward_cells_that_are_no_slots(submission: Any, rng: Rng) -> None:
    batch = batches.make(rng, MIXED, dummies=1, junk=(batches.INT32.max, batches.INT32.min))
    attend(submission, attention.inputs(rng, batch, 4, 2, 16))


@case(part="forward", points=2)
def test_forward_owns_its_output(submission: Any, rng: Rng) -> None:
    call = attention.inputs(rng, batches.make(rng, DECODE), 2, 2, 16)
    new = [rng.tensor(*old.shape) for old in (call.q, call.k_pool, call.v_pool)]
    attention.expect(call)
    got = submission.harness.forward_then_overwrite(*call, new)
    attention.verify(got, call, because="out-alias", also={"out-is-q": lambda: new[0]})


@case(part="forward", points=2)
def test_forward_leaves_inputs_alone(submission: Any, rng: Rng) -> None:
    batch = batches.make(rng, MIXED, dummies=1, junk=(-1, 5))
    call = attention.inputs(rng, batch, 4, 2, 16, poison=float("nan"))
    attention.expect(call)
    after = submission.harness.forward_and_show_inputs(*call)
    attention.verify(after["out"], call)
    check.tensor(after["q"], like=call.q, field="q", mistake="q-changed")
    for name in ("k_pool", "v_pool"):
        check.tensor(after[name], like=getattr(call, name), field=name, mistake="pool-changed")
    check.that(
        isinstance(after["meta"], dict) and set(after["meta"]) == set(call.meta), mistake="meta-changed"
    )
    for key, want in call.meta.items():
        if isinstance(want, torch.Tensor):
            check.tensor(after["meta"][key], like=want, field=key, mistake="meta-changed")
        else:
            check.equal(after["meta"][key], want, field=key, mistake="meta-changed")


# --- forward: long KV ---


@case(part="forward", points=1)
def test_forward_scores_rise_along_the_keys(submission: Any, rng: Rng) -> None:
    """The running maximum of an online softmax changes in every block; whole blocks only."""
    batch = batches.make(rng, [(254, 256), (511, 512)])
    call = attention.inputs(rng, batch, 2, 2, 16)
    call.q[..., 0] = 4.0
    for row, _, end in batch.reqs:
        call.k_pool[batch.table[row, :end].long(), :, 0] = torch.linspace(0, 8, end)[:, None]
    attend(submission, call, because="online-not-rescaled")


@case(part="forward", points=2, means={"TLE": "forward-python-loop"})
def test_forward_many_pairs(submission: Any, rng: Rng) -> None:
    batch = batches.make(rng, [(384, 512)] * 4)
    attend(submission, attention.inputs(rng, batch, 4, 2, 8))


@case(part="forward", points=2, means={"MLE": "mask-square", "TLE": "mask-square"})
def test_forward_long_decode(submission: Any, rng: Rng) -> None:
    length = 24576
    batch = batches.make(rng, [(length - 1, length)], in_order=True, width=length)
    attend(submission, attention.inputs(rng, batch, 2, 1, 8), because="long-kv")


@case(part="forward", points=2)
def test_forward_last_keys_count(submission: Any, rng: Rng) -> None:
    """Lengths just above round numbers, and queries that look for the last key."""
    batch = batches.make(rng, [(66, 67), (130, 131), (258, 259), (514, 515)])
    call = attention.inputs(rng, batch, 2, 2, 16)
    for i, (row, _, end) in enumerate(batch.reqs):
        call.q[i] = 2 * call.k_pool[int(batch.table[row, end - 1])]
    attend(submission, call, because="block-tail-lost")
