"""Hidden cases: batches of both phases, then what was made to see one mistake."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .heads import Call, make, run, verify

PREFILLS = {
    "mixed-lengths": [5, 1, 12, 3],
    "one-request": [9],
    "one-token-each": [1, 1, 1],
    "equal-lengths": [4, 4, 4],
    "long-then-short": [40, 2],
}


@case(part="prefill", points=4, means={"IndexError": "one-past"})
@pytest.mark.parametrize("lengths", PREFILLS.values(), ids=PREFILLS)
def test_prefill(submission: Any, rng: Rng, lengths: list[int]) -> None:
    run(submission, make(rng, lengths, prefill=True))


@case(part="prefill", points=6)
def test_prefill_with_dummies(submission: Any, rng: Rng) -> None:
    """The metadata describe the padded batch; logits are for the real requests."""
    run(submission, make(rng, [3, 7, 2], prefill=True, dummies=3))


@case(part="prefill", points=4, means={"RE": "empty-fails"})
def test_prefill_no_real_request(submission: Any, rng: Rng) -> None:
    call = make(rng, [], prefill=True, dummies=4)
    got = submission.lm_head(*call)
    check.tensor(
        got, like=torch.empty(0, 37), field="logits", mistake="empty", shape="empty", dtype="logits-dtype"
    )
    run(submission, make(rng, [2], prefill=True, dummies=2))


@case(part="prefill", points=10, means={"MLE": "all-logits", "TLE": "all-logits"})
def test_prefill_a_long_prompt(submission: Any, rng: Rng) -> None:
    """8192 rows times 50,000 tokens would be 1.6 GB; two rows are needed."""
    run(submission, make(rng, [8000, 192], prefill=True, dim=16, vocab=50_000), large=True)


@case(part="prefill", points=4)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=["bfloat16", "float16"])
def test_prefill_half(submission: Any, rng: Rng, dtype: torch.dtype) -> None:
    run(submission, make(rng, [4, 9, 1], prefill=True, dim=64, dtype=dtype))


@case(part="prefill", points=6, means={"RE": "reads-the-device", "NotImplementedError": "reads-the-device"})
def test_prefill_meta_device(submission: Any, rng: Rng) -> None:
    call = make(rng, [4, 9, 1], prefill=True)
    verify(submission.lm_head(*to_meta(call)), call, device="meta")


@case(part="decode", points=4)
@pytest.mark.parametrize("dummies", [0, 1, 5])
def test_decode(submission: Any, rng: Rng, dummies: int) -> None:
    run(submission, make(rng, [1] * 3, prefill=False, dummies=dummies))


@case(part="decode", points=6)
def test_decode_capture_batch(submission: Any, rng: Rng) -> None:
    """Dummies only, as in a graph capture: every row counts."""
    run(submission, make(rng, [], prefill=False, dummies=4))


@case(part="decode", points=6, means={"RE": "reads-the-device", "NotImplementedError": "reads-the-device"})
def test_decode_meta_device(submission: Any, rng: Rng) -> None:
    call = make(rng, [1, 1], prefill=False, dummies=2)
    verify(submission.lm_head(*to_meta(call)), call, device="meta")


@case(part="decode", points=6)
def test_decode_leaves_inputs_alone(submission: Any, rng: Rng) -> None:
    for call in (make(rng, [3, 2], prefill=True), make(rng, [1, 1], prefill=False, dummies=1)):
        logits, x, weight, meta = submission.harness.call_and_show_inputs(*call)
        verify(logits, call)
        for field, got, like in (("x", x, call.x), ("weight", weight, call.weight)):
            check.tensor(got, like=like, field=field, mistake="inputs-changed")
        check.tensor(
            meta["cu_seqlens_q"], like=call.meta["cu_seqlens_q"], field="cu_seqlens_q", mistake="meta-changed"
        )


@case(part="decode", points=6)
def test_decode_two_batches(submission: Any, rng: Rng) -> None:
    calls = [make(rng, [1] * 4, prefill=False, dummies=2) for _ in range(2)]
    got = submission.harness.call_twice(*[list(call) for call in calls])
    verify(got[1], calls[1])
    verify(got[0], calls[0], because="buffer-reused")


def to_meta(call: Call) -> Call:
    """The same call without data."""
    meta = {name: value.to("meta") for name, value in call.meta.items()}
    return call._replace(x=call.x.to("meta"), weight=call.weight.to("meta"), meta=meta)
