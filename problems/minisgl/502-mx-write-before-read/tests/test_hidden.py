"""Hidden cases, fresh inputs for each judgement. Those made for one mistake say which by ``because``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from . import layer, stale
from .layer import Span

BATCHES: dict[str, list[Span]] = {
    "decode": [(6, 7), (11, 12), (2, 3)],
    "prefill": [(0, 7), (0, 1), (0, 5)],
    "behind-a-prefix": [(4, 9), (8, 11)],
    "mixed": [(9, 10), (0, 6), (5, 8), (0, 1)],
    "one-token": [(0, 1)],
}


# --- attn_layer ---


@case(part="attn_layer", points=2)
@pytest.mark.parametrize("spans", BATCHES.values(), ids=BATCHES)
def test_layer(submission: Any, rng: Rng, spans: list[Span]) -> None:
    layer.run(submission, layer.make(rng, spans))


@case(part="attn_layer", points=2)
@pytest.mark.parametrize(("heads", "kv_heads"), [(3, 3), (5, 1)])
def test_layer_heads(submission: Any, rng: Rng, heads: int, kv_heads: int) -> None:
    layer.run(submission, layer.make(rng, BATCHES["mixed"], heads=heads, kv_heads=kv_heads, dim=5))


@case(part="attn_layer", points=3)
def test_layer_with_dummies(submission: Any, rng: Rng) -> None:
    """Several rows with one slot and one token."""
    layer.run(submission, layer.make(rng, BATCHES["decode"], dummies=3))


@case(part="attn_layer", points=5)
def test_layer_rounds(submission: Any, rng: Rng) -> None:
    """A prefill and two decodes over one pool: what a round wrote, the next one reads."""
    whole = layer.make(rng, [(0, 6), (0, 9)])
    table, width = whole.meta["page_table"], 4
    steps = [[(0, 4), (0, 7)], [(4, 5), (7, 8)], [(5, 6), (8, 9)]]
    calls, pools, wanted = [], whole.pools, []
    for spans in steps:
        counts = [end - start for start, end in spans]
        meta = {
            "cu_seqlens_q": torch.tensor([0, counts[0], sum(counts)], dtype=torch.int32),
            "cache_seqlens": torch.tensor([end for _, end in spans], dtype=torch.int32),
            "page_table": table,
        }
        loc = torch.cat([table[i, start:end] for i, (start, end) in enumerate(spans)])
        q, k, v = (rng.tensor(sum(counts), n, whole.q.shape[2]) for n in (width, 2, 2))
        call = layer.Round(q, k, v, loc, pools, meta)
        wanted.append(call)
        calls.append([q, k, v, loc, meta])
        pools = call.stored()
    got = submission.harness.rounds(calls, *whole.pools)
    for one, call in zip(got, wanted, strict=True):
        layer.verify_out(one, call, because="" if call is wanted[0] else "pool-unwritten")


@case(part="attn_layer", points=4, means={"RE": "view-of-strided"})
def test_layer_strided(submission: Any, rng: Rng) -> None:
    """k and v cut from a fused qkv, pools from a transposed buffer: a reshape would copy."""
    layer.run(submission, layer.strided(layer.make(rng, BATCHES["mixed"])), because="copy-written")


@case(part="attn_layer", points=2)
def test_layer_float64(submission: Any, rng: Rng) -> None:
    """What is written must not lose a bit on the way."""
    layer.run(submission, layer.make(rng, BATCHES["mixed"], dtype=torch.float64), because="narrowed")


@case(part="attn_layer", points=2, means={"RE": "empty-fails"})
def test_layer_empty(submission: Any, rng: Rng) -> None:
    """And a round with one token, lest doing nothing be right."""
    layer.run(submission, layer.make(rng, []), because="empty-batch")
    layer.run(submission, layer.make(rng, [(2, 3)]))


@case(part="attn_layer", points=2)
def test_layer_first_and_last_slot(submission: Any, rng: Rng) -> None:
    """Slot 0 and the last slot are slots like any other."""
    call = layer.make(rng, [(0, 2), (3, 5)])
    edge = {int(call.out_loc[0]): 0, int(call.out_loc[-1]): len(call.pools[0]) - 1}
    table, loc = (
        one.clone().apply_(lambda slot: edge.get(slot, slot))
        for one in (call.meta["page_table"], call.out_loc)
    )
    layer.run(submission, replace(call, out_loc=loc, meta={**call.meta, "page_table": table}))


@case(part="attn_layer", points=2)
def test_layer_poison(submission: Any, rng: Rng) -> None:
    """The slots that are written hold NaN before: adding to them, or reading them first, shows."""
    call = layer.make(rng, BATCHES["mixed"])
    for pool in call.pools:
        pool[call.out_loc.long()] = float("nan")
    layer.run(submission, call)


@case(part="attn_layer", points=2)
def test_layer_inputs_stay(submission: Any, rng: Rng) -> None:
    call = layer.make(rng, BATCHES["mixed"])
    after = submission.harness.layer(*call.arguments())
    layer.verify(after, call)
    for name in ("q", "k", "v", "out_loc"):
        check.tensor(after[name], like=getattr(call, name), field=name, mistake="inputs-changed")
    for key, want in call.meta.items():
        check.tensor(after["meta"][key], like=want, field=key, mistake="inputs-changed")


# --- stale_keys ---


@case(part="stale_keys", points=3)
@pytest.mark.parametrize("kind", ["decode", "prefill", "behind-a-prefix", "mixed"])
def test_stale(submission: Any, rng: Rng, kind: str) -> None:
    shifts = [0 if start == 0 else int(rng.integers(0, 9)) for start, _ in BATCHES[kind]]
    spans = [(start + shift, end + shift) for (start, end), shift in zip(BATCHES[kind], shifts, strict=True)]
    longer = [*spans, (int(rng.integers(2, 9)), int(rng.integers(10, 20)))]
    stale.verify(submission.stale_keys(longer), longer)


@case(part="stale_keys", points=4, means={"RE": "stale-empty-fails"})
def test_stale_empty(submission: Any, rng: Rng) -> None:
    """And a batch with something in it, lest an answer of nothing be right."""
    stale.verify(submission.stale_keys([]), [], because="stale-empty")
    reqs = [(int(rng.integers(1, 9)), 12)]
    stale.verify(submission.stale_keys(reqs), reqs)
