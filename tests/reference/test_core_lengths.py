"""Req's lengths, Batch's phases and the process-wide context."""

from __future__ import annotations

import pytest
import torch
from minisgl.core import Batch, Context, Req, SamplingParams, get_global_ctx, reset_global_ctx, set_global_ctx

from tests.reference.small_engine import new_req


def test_a_request_lives_from_prefill_to_its_last_token() -> None:
    req = new_req([5, 6, 7, 8, 9], 0, cached_len=2, output_len=3)
    assert (req.device_len, req.max_device_len, req.extend_len, req.remain_len) == (5, 8, 3, 3)
    for length in (6, 7, 8):
        assert req.can_decode
        req.complete_one()
        assert (req.cached_len, req.device_len, req.extend_len) == (length - 1, length, 1)
        assert len(req.input_ids) == length - 1  # the token is known only after sampling
        req.append_host(torch.tensor([length]))
    assert not req.can_decode and req.remain_len == 0
    assert req.input_ids.tolist() == [5, 6, 7, 8, 9, 6, 7, 8]
    assert req.input_ids.dtype == torch.int32


def test_appending_leaves_the_callers_ids_alone() -> None:
    ids = torch.tensor([1, 2], dtype=torch.int32)
    req = Req(ids, 0, 0, 4, 0, SamplingParams(), None)
    req.append_host(torch.tensor([3]))
    assert ids.tolist() == [1, 2]
    assert req.max_device_len == 6


@pytest.mark.parametrize(
    ("tokens", "cached", "output"), [(3, 3, 1), (3, 4, 1), (3, -1, 1), (0, 0, 1), (3, 0, -1)]
)
def test_impossible_lengths_are_refused(tokens: int, cached: int, output: int) -> None:
    with pytest.raises(ValueError, match="0 <= cached_len < device_len <= max_device_len"):
        new_req(range(tokens), 0, cached, output)


def test_ids_on_another_device_are_refused() -> None:
    with pytest.raises(ValueError, match="meta"):
        Req(torch.empty(3, dtype=torch.int32, device="meta"), 0, 0, 1, 0, SamplingParams(), None)


def test_equal_requests_are_still_two() -> None:
    one, two = new_req([1, 2], 0), new_req([1, 2], 0)
    assert one != two
    assert len({one, two}) == 2


@pytest.mark.parametrize(
    ("params", "greedy"),
    [
        (SamplingParams(), True),
        (SamplingParams(temperature=0.7, top_k=1), True),
        (SamplingParams(temperature=0.7), False),
        (SamplingParams(temperature=0.0, top_p=0.9), False),
    ],
)
def test_greedy_means_zero_temperature_or_one_candidate(params: SamplingParams, greedy: bool) -> None:
    assert params.is_greedy is greedy


def test_a_batch_counts_real_and_padded_requests() -> None:
    reqs = [new_req([1], i) for i in range(3)]
    batch = Batch(reqs, "decode")
    assert (batch.size, batch.padded_size) == (3, 3)
    batch.padded_reqs = [*reqs, new_req([0], 4)]
    assert (batch.size, batch.padded_size) == (3, 4)
    assert batch.is_decode and not batch.is_prefill


def test_the_context_is_set_once_and_asked_for_only_after() -> None:
    with pytest.raises(RuntimeError, match="not set"):
        get_global_ctx()
    ctx = Context(page_size=1)
    set_global_ctx(ctx)
    assert get_global_ctx() is ctx
    with pytest.raises(RuntimeError, match="already"):
        set_global_ctx(Context(page_size=1))
    reset_global_ctx()
    set_global_ctx(Context(page_size=2))
    assert get_global_ctx().page_size == 2


def test_the_current_batch_ends_with_its_forward_pass() -> None:
    ctx, batch = Context(page_size=1), Batch([], "decode")
    with pytest.raises(KeyError), ctx.forward_batch(batch):
        assert ctx.batch is batch
        raise KeyError("a layer failed")
    with pytest.raises(RuntimeError, match="no forward pass"):
        _ = ctx.batch
    with ctx.forward_batch(batch), pytest.raises(RuntimeError, match="already running"):
        ctx.forward_batch(batch).__enter__()
