"""Hidden cases: checkpoints in any order, then what was made to see one mistake."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .streams import attention, mlp, moe, refused, shuffled, verify


@case(part="merge", points=8)
def test_merge_random(submission: Any, rng: Rng) -> None:
    """Layers 1, 10 and 11, whose names begin alike."""
    for _ in range(3):
        items = [item for layer in (1, 10, 11) for item in attention(rng, layer)]
        items += [item for layer in (1, 10, 11) for item in mlp(rng, f"model.layers.{layer}.mlp")]
        verify(submission, shuffled(rng, items))


@case(part="merge", points=8)
def test_merge_biases(submission: Any, rng: Rng) -> None:
    """Qwen2 has biases of q, k and v, merged like their weights."""
    items = [item for layer in (0, 1) for item in attention(rng, layer, bias=True)]
    verify(submission, shuffled(rng, items))


@case(part="merge", points=6)
def test_merge_bfloat16(submission: Any, rng: Rng) -> None:
    verify(submission, shuffled(rng, mlp(rng, "model.layers.3.mlp", torch.bfloat16)))


@case(part="merge", points=6)
def test_merge_experts_unpacked(submission: Any, rng: Rng) -> None:
    """Without num_experts the experts stay apart; gate and up are merged all the same."""
    verify(submission, shuffled(rng, moe(rng, 2, 3)))


@case(part="merge", points=6)
def test_merge_incomplete(submission: Any, rng: Rng) -> None:
    """One part of one group is missing."""
    items = [
        item for layer in (0, 1) for item in attention(rng, layer) + mlp(rng, f"model.layers.{layer}.mlp")
    ]
    for part, whole in (
        ("self_attn.v", "self_attn.qkv"),
        ("mlp.gate", "mlp.gate_up"),
        ("self_attn.k", "self_attn.qkv"),
    ):
        lost = f"model.layers.1.{part}_proj.weight"
        some = [item for item in shuffled(rng, items) if item[0] != lost]
        refused(submission, some, 0, f"model.layers.1.{whole}_proj.weight")


@case(part="experts", points=8)
def test_experts_random(submission: Any, rng: Rng) -> None:
    """Twelve experts in two layers, with biases, beside a router, a shared expert and two numbered shared ones."""
    items = [item for layer in (1, 10) for item in moe(rng, layer, 12)]
    items += [(f"model.layers.1.mlp.shared_experts.{i}.down_proj.weight", rng.tensor(2, 2)) for i in (0, 1)]
    verify(submission, shuffled(rng, items), 12)


@case(part="experts", points=5)
def test_experts_one(submission: Any, rng: Rng) -> None:
    """A single expert is packed as well."""
    verify(submission, shuffled(rng, moe(rng, 0, 1)), 1)


@case(part="experts", points=6)
def test_experts_merged_only(submission: Any, rng: Rng) -> None:
    """Experts that already come with gate and up merged, out of order."""
    names = [f"model.layers.4.mlp.experts.{expert}.gate_up_proj.weight" for expert in range(11)]
    verify(submission, shuffled(rng, [(name, rng.tensor(2, 2)) for name in names]), 11)


@case(part="experts", points=6)
def test_experts_incomplete(submission: Any, rng: Rng) -> None:
    """One expert lacks its down_proj; another time its up_proj."""
    items = moe(rng, 0, 5)
    head = f"model.layers.0.mlp.experts.{int(rng.integers(0, 5))}"
    some = [item for item in shuffled(rng, items) if item[0] != f"{head}.down_proj.weight"]
    refused(submission, some, 5, "model.layers.0.mlp.experts.down_proj")
    some = [item for item in shuffled(rng, items) if item[0] != f"{head}.up_proj.weight"]
    refused(submission, some, 5, f"{head}.gate_up_proj.weight")


@case(part="stream", points=8, means={"MLE": "held-in-memory"})
def test_stream_layers_let_go(submission: Any, rng: Rng) -> None:
    """60 layers of 3 MiB, each dropped as soon as it was given."""
    layers = 60 + int(rng.integers(0, 3))
    got = submission.harness.large(layers, 256, 0)
    want = [[f"model.layers.{i}.self_attn.qkv_proj.weight", float(i)] for i in range(layers)]
    check.equal(got, want, field="weights", mistake="names-wrong")


@case(part="stream", points=6, means={"MLE": "held-in-memory"})
def test_stream_experts_let_go(submission: Any, rng: Rng) -> None:
    """40 layers of 4 experts with 1 MiB each."""
    layers = 40 + int(rng.integers(0, 3))
    got = submission.harness.large(layers, 256, 4)
    want = [[f"model.layers.{i}.mlp.experts.down_proj", float(i + 3)] for i in range(layers)]
    check.equal(got, want, field="weights", mistake="names-wrong")


@case(part="stream", points=6)
def test_stream_from_a_list(submission: Any, rng: Rng) -> None:
    """Any iterable will do; the order in which weights become complete is that in which they are given."""
    verify(submission, shuffled(rng, attention(rng, 0) + attention(rng, 1)), as_list=True)


@case(part="stream", points=5)
def test_stream_nothing(submission: Any, rng: Rng) -> None:
    """An empty checkpoint gives nothing; then one with something in it."""
    verify(submission, [])
    verify(submission, attention(rng, 0))


@case(part="stream", points=5)
def test_stream_passes_through(submission: Any, rng: Rng) -> None:
    """What belongs to no group is the very tensor that came, given before the next is read."""
    names = [
        "lm_head.weight",
        "model.norm.weight",
        "model.layers.0.mlp.gate.weight",
        "model.layers.0.self_attn.o_proj.bias",
    ]
    verify(submission, shuffled(rng, [(name, rng.tensor(3)) for name in names] + attention(rng, 1)))
