"""Hidden cases: every kind of layer on every rank, then what was made to see one mistake."""

from __future__ import annotations

from typing import Any

import pytest

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .dividing import divide
from .shards import Call, all_ranks, right, verify

ATTENTION = "model.layers.{}.self_attn.{}_proj.{}"


@case(part="divide", points=8, means={"ValueError": "copies-ignored"})
def test_divide_even(submission: Any, rng: Rng) -> None:
    pairs = [(int(a) * int(b), int(b)) for a, b in rng.integers(2, 30, (6, 2))]
    divide(submission, [(a, b, copies) for a, b in pairs for copies in (False, True)])


@case(part="divide", points=8, means={"ValueError": "copies-ignored"})
def test_divide_uneven(submission: Any, rng: Rng) -> None:
    """A rest is an error; copies are made only where they are allowed, and come out even."""
    pairs = [(int(a), int(a) * int(b)) for a, b in rng.integers(2, 12, (4, 2))]
    uneven = [(7, 4), (9, 6), (3, 8), (5, 7), (4, 6)]
    divide(submission, [(a, b, copies) for a, b in pairs + uneven for copies in (False, True)])


@case(part="shard", points=8)
def test_shard_rows(submission: Any, rng: Rng) -> None:
    """q, gate and up, weights and biases, of an expert as well."""
    layer = int(rng.integers(0, 40))
    calls = all_ranks(rng, ATTENTION.format(layer, "q", "weight"), (24, 10), 4)
    calls += all_ranks(rng, ATTENTION.format(layer, "q", "bias"), (24,), 4)
    calls += all_ranks(rng, f"model.layers.{layer}.mlp.gate_proj.weight", (18, 6), 3)
    calls += all_ranks(rng, f"model.layers.{layer}.mlp.experts.{layer}.up_proj.weight", (12, 6), 2)
    verify(submission, calls)


@case(part="shard", points=8)
def test_shard_columns(submission: Any, rng: Rng) -> None:
    layer = int(rng.integers(0, 40))
    calls = all_ranks(rng, ATTENTION.format(layer, "o", "weight"), (10, 24), 4)
    calls += all_ranks(rng, f"model.layers.{layer}.mlp.down_proj.weight", (6, 18), 3)
    verify(submission, calls)


@case(part="shard", points=8)
def test_shard_bias_behind_a_sum(submission: Any, rng: Rng) -> None:
    """The bias of o is added once, after the sum over ranks: it stays whole."""
    layer = int(rng.integers(0, 40))
    verify(submission, all_ranks(rng, ATTENTION.format(layer, "o", "bias"), (12,), 4))


@case(part="shard", points=5)
@pytest.mark.parametrize(("kv_heads", "size"), [(8, 4), (2, 8), (1, 4)])
def test_shard_kv_heads(submission: Any, rng: Rng, kv_heads: int, size: int) -> None:
    """Fewer heads than ranks: neighbours hold copies."""
    calls = []
    for name in ("k", "v"):
        key = ATTENTION.format(int(rng.integers(0, 40)), name, "{}")
        calls += all_ranks(rng, key.format("weight"), (kv_heads * 4, 6), size, kv_heads)
        calls += all_ranks(rng, key.format("bias"), (kv_heads * 4,), size, kv_heads)
    verify(submission, calls)


@case(part="shard", points=5, means={"RE": "vocabulary-even"})
@pytest.mark.parametrize(("vocab", "size"), [(12, 4), (10, 4), (5, 4)])
def test_shard_vocabulary(submission: Any, rng: Rng, vocab: int, size: int) -> None:
    """Blocks rounded up: the last rank has fewer rows, or none."""
    calls = all_ranks(rng, "model.embed_tokens.weight", (vocab, 6), size)
    verify(submission, calls + all_ranks(rng, "lm_head.weight", (vocab, 6), size))


@case(part="shard", points=5)
def test_shard_what_stays_whole(submission: Any, rng: Rng) -> None:
    """Norms, and the router of a mixture of experts, whose name is only gate."""
    layer = int(rng.integers(0, 40))
    names = [
        "mlp.gate.weight",
        "self_attn.q_norm.weight",
        "self_attn.k_norm.weight",
        "input_layernorm.weight",
    ]
    shapes = [(8, 6), (8,), (8,), (12,)]
    calls = []
    for name, shape in zip(names, shapes, strict=True):
        calls += all_ranks(rng, f"model.layers.{layer}.{name}", shape, 4)
    verify(submission, calls + all_ranks(rng, "model.norm.weight", (12,), 2))


@case(part="shard", points=5)
def test_shard_uneven(submission: Any, rng: Rng) -> None:
    layer = int(rng.integers(0, 40))
    calls = all_ranks(rng, ATTENTION.format(layer, "q", "weight"), (10, 6), 4)
    calls += all_ranks(rng, f"model.layers.{layer}.mlp.down_proj.weight", (6, 14), 4)
    verify(submission, calls)


@case(part="shard", points=4)
def test_shard_one_rank(submission: Any, rng: Rng) -> None:
    keys = [ATTENTION.format(3, name, "weight") for name in "qkvo"]
    verify(submission, [call for key in keys for call in all_ranks(rng, key, (8, 8), 1, 2)])


@case(part="shard", points=4)
def test_shard_owns_its_part(submission: Any, rng: Rng) -> None:
    """The whole is let go of after cutting; a view would keep all of it in memory."""
    keys = [ATTENTION.format(3, name, "weight") for name in "qkvo"] + ["model.embed_tokens.weight"]
    for key in keys:
        call = Call(key, rng.tensor(8, 8), 1, 2, 2)
        got, before, after = submission.harness.shard_then_overwrite(*call)
        check.tensor(after, like=before, field=key, mistake="whole-changed")
        check.tensor(got, like=right(call).contiguous(), field=key, mistake="part-is-a-view")
