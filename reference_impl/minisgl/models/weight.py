"""From a checkpoint's tensors to this rank's weights: cut, merge, pack experts, one tensor at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import torch

from minisgl.distributed import get_tp_info
from minisgl.layers import BaseOP, vocab_shard
from minisgl.utils import div_even

if TYPE_CHECKING:
    from minisgl.models.config import ModelConfig

MERGED = {"qkv_proj": ("q_proj", "k_proj", "v_proj"), "gate_up_proj": ("gate_proj", "up_proj")}
MERGED_INTO = {part: whole for whole, parts in MERGED.items() for part in parts}
EXPERT = re.compile(r"(.+\.experts)\.(\d+)\.(.+)\.weight")
Named = tuple[str, torch.Tensor]


def load_weights(model: BaseOP, config: ModelConfig, checkpoint: Iterable[Named]) -> None:
    """Loads a Hugging Face checkpoint (names and whole tensors, in any order) into the model."""
    parts = merge_weights(shard_weights(config, checkpoint))
    model.load_state_dict(dict(pack_experts(parts, config.num_experts)))


def shard_weights(config: ModelConfig, checkpoint: Iterable[Named]) -> Iterator[Named]:
    """This rank's part of each tensor; a tied lm_head is left out, since the embedding stands for it."""
    tp = get_tp_info()
    for name, value in checkpoint:
        if not (config.tie_word_embeddings and name == "lm_head.weight"):
            yield name, shard_tensor(name, value, tp.rank, tp.size, config.num_kv_heads)


def shard_tensor(name: str, value: torch.Tensor, rank: int, size: int, num_kv_heads: int) -> torch.Tensor:
    """One rank's part, a copy that does not keep the whole alive; the whole for what is not split."""
    if size == 1:
        return value
    layer = name.split(".")[-2]
    if layer in ("q_proj", "gate_proj", "up_proj"):
        return _block(value, 0, rank, size)
    if layer in ("k_proj", "v_proj"):
        shares = min(size, num_kv_heads)
        return _block(value, 0, rank // div_even(size, shares), shares)  # neighbours share a copied head
    if layer in ("o_proj", "down_proj") and value.dim() == 2:  # a bias is added after the reduction
        return _block(value, 1, rank, size)
    if layer in ("embed_tokens", "lm_head"):
        vocab = vocab_shard(len(value), rank, size)
        return value[vocab.start : vocab.stop].clone()
    return value


def _block(value: torch.Tensor, dim: int, index: int, count: int) -> torch.Tensor:
    length = div_even(value.shape[dim], count)
    return value.narrow(dim, index * length, length).clone(memory_format=torch.contiguous_format)


def merge_weights(items: Iterable[Named]) -> Iterator[Named]:
    """Joins q, k, v and gate, up along the outputs as soon as a group is complete; others pass through.

    ValueError at the end if a group lacks a part.
    """
    waiting: dict[str, dict[str, torch.Tensor]] = {}
    for name, value in items:
        *parents, layer, kind = name.split(".")
        if layer not in MERGED_INTO:
            yield name, value
            continue
        whole = ".".join([*parents, MERGED_INTO[layer], kind])
        group = waiting.setdefault(whole, {})
        group[layer] = value
        order = MERGED[MERGED_INTO[layer]]
        if len(group) == len(order):
            del waiting[whole]
            yield whole, torch.cat([group[part] for part in order])
    if waiting:
        found = "; ".join(f"{whole} has only {', '.join(group)}" for whole, group in waiting.items())
        raise ValueError(f"incomplete checkpoint: {found}")


def pack_experts(items: Iterable[Named], num_experts: int) -> Iterator[Named]:
    """Stacks one projection of all experts, in the order of their numbers, as soon as the last one came.

    `p.experts.3.down_proj.weight` becomes row 3 of `p.experts.down_proj`; others pass through. ValueError at
    the end if experts are missing.
    """
    waiting: dict[str, dict[int, torch.Tensor]] = {}
    for name, value in items:
        match = EXPERT.fullmatch(name)
        if match is None:
            yield name, value
            continue
        whole = f"{match[1]}.{match[3]}"
        group = waiting.setdefault(whole, {})
        group[int(match[2])] = value
        if len(group) == num_experts:
            del waiting[whole]
            yield whole, torch.stack([group[i] for i in range(num_experts)])
    if waiting:
        found = "; ".join(f"{whole} has {len(group)} of {num_experts}" for whole, group in waiting.items())
        raise ValueError(f"incomplete checkpoint: {found}")
