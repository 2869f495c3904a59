"""Cutting and merging a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from minisgl.models.weight import merge_weights, shard_tensor

Named = tuple[str, torch.Tensor]


def test_parts_are_joined_in_their_order_whatever_order_they_come_in() -> None:
    q, k, v, gate, up = (torch.full((n, 2), float(n)) for n in (4, 2, 3, 5, 6))
    parts = {"attn.v_proj": v, "mlp.up_proj": up, "attn.q_proj": q, "mlp.gate_proj": gate, "attn.k_proj": k}
    merged = dict(merge_weights((f"layers.1.{name}.weight", w) for name, w in parts.items()))
    assert torch.equal(merged["layers.1.attn.qkv_proj.weight"], torch.cat([q, k, v]))
    assert torch.equal(merged["layers.1.mlp.gate_up_proj.weight"], torch.cat([gate, up]))


def test_biases_are_merged_too_and_layers_are_kept_apart() -> None:
    items = [
        (f"layers.{i}.attn.{p}_proj.bias", torch.full((1,), 10.0 * i + j))
        for i in (1, 10)
        for j, p in enumerate("qkv")
    ]
    merged = dict(merge_weights(sorted(items, key=lambda item: item[0][-12:])))
    assert merged["layers.1.attn.qkv_proj.bias"].tolist() == [10, 11, 12]
    assert merged["layers.10.attn.qkv_proj.bias"].tolist() == [100, 101, 102]


def test_a_group_is_given_out_as_soon_as_it_is_complete() -> None:
    seen: list[str] = []

    def source() -> Iterator[Named]:
        for name in ("a.gate_proj.weight", "a.up_proj.weight", "norm.weight"):
            seen.append(name)
            yield name, torch.ones(1)

    stream = merge_weights(source())
    assert seen == []
    assert next(stream)[0] == "a.gate_up_proj.weight"
    assert seen == ["a.gate_proj.weight", "a.up_proj.weight"]
    assert [name for name, _ in stream] == ["norm.weight"]


def test_a_group_without_a_part_is_an_error_that_names_it() -> None:
    items = [("l.attn.q_proj.weight", torch.ones(1)), ("l.attn.k_proj.weight", torch.ones(1))]
    with pytest.raises(ValueError, match=r"l\.attn\.qkv_proj\.weight has only q_proj, k_proj"):
        list(merge_weights(items))


@pytest.mark.parametrize(
    ("name", "shape", "dim"),
    [
        ("l.attn.q_proj.weight", (8, 6), 0),
        ("l.attn.q_proj.bias", (8,), 0),
        ("l.mlp.gate_proj.weight", (8, 6), 0),
        ("l.mlp.up_proj.weight", (8, 6), 0),
        ("l.attn.o_proj.weight", (6, 8), 1),
        ("l.mlp.down_proj.weight", (6, 8), 1),
        ("model.embed_tokens.weight", (7, 4), 0),
        ("lm_head.weight", (5, 4), 0),
    ],
)
def test_the_shards_of_all_ranks_are_the_whole(name: str, shape: tuple[int, ...], dim: int) -> None:
    value = torch.randn(shape)
    shards = [shard_tensor(name, value, rank, 4, num_kv_heads=4) for rank in range(4)]
    assert torch.equal(torch.cat(shards, dim), value)
    assert all(s.shape != value.shape and s.is_contiguous() for s in shards)
    assert not {s.untyped_storage().data_ptr() for s in shards} & {value.untyped_storage().data_ptr()}


def test_kv_heads_are_split_then_copied_to_neighbours() -> None:
    k = torch.arange(4.0).repeat_interleave(3).view(12, 1)  # 4 heads of 3 rows

    def heads(name: str, rank: int, size: int) -> list[float]:
        rows: list[float] = shard_tensor(name, k, rank, size, num_kv_heads=4)[::3, 0].tolist()
        return rows

    assert [heads("l.k_proj.weight", rank, 2) for rank in (0, 1)] == [[0, 1], [2, 3]]
    copied = [heads("l.v_proj.weight", rank, 8) for rank in range(8)]
    assert copied == [[0], [0], [1], [1], [2], [2], [3], [3]]
    with pytest.raises(ValueError, match="evenly"):
        shard_tensor("l.k_proj.weight", k, 0, 6, 4)


@pytest.mark.parametrize("name", ["l.input_layernorm.weight", "l.attn.q_norm.weight", "l.attn.o_proj.bias"])
def test_what_every_rank_needs_is_not_split(name: str) -> None:
    value = torch.randn(8)
    assert torch.equal(shard_tensor(name, value, 1, 2, 4), value)
