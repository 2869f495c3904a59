"""Hidden cases, fresh inputs for each judgement. Those made for one mistake say which by ``because``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from . import decode

LENS: dict[str, list[int]] = {
    "different": [7, 20, 1, 13],
    "equal": [9, 9, 9],
    "one-request": [11],
    "one-key-each": [1, 1, 1],
    "rising": [3, 6, 12, 24],
    "falling": [24, 12, 6, 3],
}


# --- the numbers; first of all what is kept from one call to the next ---


@case(part="engine", points=4)
def test_two_batches(submission: Any, rng: Rng) -> None:
    """Two batches of one form in turn, then the first output again."""
    calls = [decode.inputs(rng, lens, extra=12 - max(lens)) for lens in ([4, 9, 2], [2, 3, 10])]
    got = submission.harness.call_twice(*[list(call) for call in calls])
    decode.verify(got[1], calls[1], because="state-between-calls")
    decode.verify(got[0], calls[0], because="output-reused")


@case(part="values", points=2)
@pytest.mark.parametrize("lens", LENS.values(), ids=LENS)
def test_lengths(submission: Any, rng: Rng, lens: list[int]) -> None:
    decode.attend(submission, decode.inputs(rng, lens))


@case(part="values", points=2)
@pytest.mark.parametrize(("heads", "kv_heads"), [(5, 5), (7, 1), (6, 2), (12, 4)])
def test_heads(submission: Any, rng: Rng, heads: int, kv_heads: int) -> None:
    decode.attend(submission, decode.inputs(rng, LENS["different"], heads, kv_heads))


@case(part="values", points=2)
@pytest.mark.parametrize("dim", [20, 80])
def test_head_dim(submission: Any, rng: Rng, dim: int) -> None:
    decode.attend(submission, decode.inputs(rng, LENS["different"], dim=dim))


@case(part="values", points=2)
def test_everything_is_one(submission: Any, rng: Rng) -> None:
    """One request, one head, head size 1: dimensions that must not be squeezed away."""
    for lens, heads, dim in (([3], 1, 1), ([3, 2], 1, 8), ([4], 2, 1)):
        decode.attend(submission, decode.inputs(rng, lens, heads, 1, dim))


@case(part="values", points=3, means={"RE": "empty-fails"})
def test_empty_batch(submission: Any, rng: Rng) -> None:
    """And one of a single request, lest an answer of nothing be right."""
    decode.attend(submission, decode.inputs(rng, [], extra=0), because="empty-batch")
    decode.attend(submission, decode.inputs(rng, [2]))


@case(part="values", points=3)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
def test_half(submission: Any, rng: Rng, dtype: torch.dtype) -> None:
    call = decode.inputs(rng, [96, 128, 70], dim=64, dtype=dtype, scale=4.0)
    decode.attend(submission, call, because="half-precision")


@case(part="values", points=3)
def test_float64(submission: Any, rng: Rng) -> None:
    call = decode.inputs(rng, LENS["different"], dim=24, dtype=torch.float64)
    decode.attend(submission, call, because="float64-narrowed")


@case(part="values", points=4)
def test_large_scores(submission: Any, rng: Rng) -> None:
    """Scores in the thousands; integers, so that float32 is exact whatever the order of summing."""
    call = decode.inputs(rng, LENS["rising"])
    q = rng.ints(-40, 41, *call.q.shape, dtype=torch.float32)
    k_pool = rng.ints(-60, 61, *call.k_pool.shape, dtype=torch.float32)
    decode.attend(submission, replace(call, q=q, k_pool=k_pool), because="maximum", nan="maximum")


@case(part="values", points=4)
def test_low_scores(submission: Any, rng: Rng) -> None:
    """Every visible score is far below any finite number that one might mask with."""
    call = decode.inputs(rng, LENS["falling"])
    q, k_pool = torch.full_like(call.q, 512.0), -rng.ints(500, 512, *call.k_pool.shape, dtype=torch.float32)
    decode.attend(submission, replace(call, q=q, k_pool=k_pool), because="mask-finite", nan="maximum")


# --- what the engine asks ---


@case(part="engine", points=6, means={"RE": "reads-values"})
@pytest.mark.parametrize("wide", [False, True], ids=["cut-table", "wide-table"])
def test_capture(submission: Any, rng: Rng, wide: bool) -> None:
    """On the meta device nothing can be read back, as in a capture. Then a call with data, lest q itself be right."""
    bs, heads, kv_heads, dim = int(rng.integers(3, 9)), 6, 2, int(rng.integers(5, 30))
    pool = [50, kv_heads, dim]
    shapes = [[bs, heads, dim], pool, pool, [bs, 300 if wide else 9], [bs]]
    got = submission.harness.on_meta(shapes, torch.bfloat16)
    want = torch.empty(shapes[0], dtype=torch.bfloat16, device="meta")
    check.that(isinstance(got, torch.Tensor), mistake="out-not-a-tensor", field="out", got=got)
    check.tensor(
        got,
        like=want,
        field="out",
        mistake="out-values",
        dtype="out-dtype",
        shape="out-shape",
        device="wrong-device",
    )
    decode.attend(submission, decode.inputs(rng, [3, 5]))


@case(part="engine", points=5, means={"TLE": "request-loop"})
def test_many_requests(submission: Any, rng: Rng) -> None:
    count, width = 8192, 4
    lens = rng.ints(1, width + 1, count)
    table = rng.ints(0, 64, count, width)
    pools = [rng.tensor(64, 1, 4) for _ in range(2)]
    q = rng.tensor(count, 2, 4)
    got = submission.decode_attention(q, *pools, table, lens)
    seen = torch.from_numpy(rng.choice(count, 40, replace=False))
    some = decode.Inputs(q[seen], *pools, table[seen], lens[seen])
    check.that(
        isinstance(got, torch.Tensor) and got.shape == q.shape, mistake="out-shape", field="out", got=got
    )
    decode.verify(got[seen], some)


@case(part="engine", points=2, means={"RE": "junk-fetched"})
@pytest.mark.parametrize(
    "number", [float("nan"), float("inf"), float("-inf")], ids=["nan", "inf", "minus-inf"]
)
def test_poison(submission: Any, rng: Rng, number: float) -> None:
    """Slots that nobody owns; cell values that are slots, and -1, which Python takes for the last."""
    call = decode.inputs(rng, LENS["different"]).poisoned(number)
    decode.attend(submission, call, because="poison-read", nan="poison-read")


@case(part="engine", points=4, means={"RE": "junk-fetched"})
def test_cells_that_are_no_slots(submission: Any, rng: Rng) -> None:
    call = decode.inputs(rng, LENS["rising"], junk=(decode.NOWHERE, -decode.NOWHERE, -1))
    decode.attend(submission, call)


@case(part="engine", points=4, means={"RE": "junk-fetched", "MLE": "square-mask", "TLE": "square-mask"})
def test_captured_buffers(submission: Any, rng: Rng) -> None:
    """A table far wider than any KV, as in the fixed buffers of a graph; stale cells name real slots."""
    call = decode.inputs(rng, LENS["different"], 2, 1, 8, extra=12000, junk=(1, 2, 3, 4))
    decode.attend(submission, call)


@case(part="engine", points=2)
def test_shared_slots(submission: Any, rng: Rng) -> None:
    """Three requests with one prefix, and dummies that are one row several times."""
    call = decode.inputs(rng, [14, 10, 12, 1, 1, 1])
    call.table[1:3, :8] = call.table[0, :8]
    call.table[4:] = call.table[3]
    decode.attend(submission, call)


@case(part="engine", points=2)
def test_int64_table(submission: Any, rng: Rng) -> None:
    call = decode.inputs(rng, LENS["different"])
    decode.attend(submission, replace(call, table=call.table.long()))


@case(part="engine", points=3, means={"RE": "view-of-strided"})
def test_strided_views(submission: Any, rng: Rng) -> None:
    """q and the pools as slices of a fused qkv, the table and lengths cut from larger ones."""
    call = decode.inputs(rng, LENS["different"])
    qkv = torch.cat([call.q, call.q, call.q], dim=1)
    pools = [pool.transpose(1, 2).contiguous().transpose(1, 2) for pool in (call.k_pool, call.v_pool)]
    lens = torch.stack([call.lens, call.lens], dim=-1)[:, 1]
    turned = call.table.T.contiguous().T
    strided = decode.Inputs(qkv[:, 4:8], *pools, turned, lens)
    decode.attend(submission, strided, because="strides-ignored")


@case(part="engine", points=2)
def test_owns_its_output(submission: Any, rng: Rng) -> None:
    """One request with one key: the result is a row of the pool, and must not be that row itself."""
    call = decode.inputs(rng, [1], 2, 2, extra=0)
    new = [rng.tensor(*one.shape) if one.is_floating_point() else one.clone() for one in call]
    got = submission.harness.call_then_overwrite([one.clone() for one in call], new)
    decode.verify(got, call, because="output-alias")


@case(part="engine", points=2)
def test_leaves_inputs_alone(submission: Any, rng: Rng) -> None:
    call = decode.inputs(rng, LENS["falling"])
    after = submission.harness.call_and_show_inputs(list(call))
    decode.verify(after["out"], call)
    names = ("q", "k_pool", "v_pool", "page_table", "seq_lens")
    for name, got, want in zip(names, after["inputs"], call, strict=True):
        check.tensor(got, like=want, field=name, mistake="inputs-changed")
