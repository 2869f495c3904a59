"""Blocks by expert in plain Python, the ways to get them wrong that have a name, and the check of `moe_align_block_size`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain
from typing import Any

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

Lists = tuple[list[int], list[int]]


def align(
    ids: list[list[int]],
    block: int,
    experts: int,
    *,
    order: Callable[[list[int]], list[int]] = list,
    blocks: Callable[[int, int], int] = lambda count, block: -(-count // block),
    name: Callable[[int, int], int] = lambda pair, k: pair,
    pad: Callable[[list[int]], int] = len,
    nobody: int = -1,
) -> Lists:
    """The right answer; each keyword is a place where a mistake can be made."""
    flat = list(chain.from_iterable(ids))
    k = len(ids[0]) if ids else 1
    pairs: list[list[int]] = [[] for _ in range(experts)]
    for pair, expert in enumerate(flat):
        if expert >= 0 or nobody >= 0:
            pairs[expert if expert >= 0 else nobody].append(pair)
    sorted_ids: list[int] = []
    expert_ids: list[int] = []
    for expert, mine in enumerate(pairs):
        count = blocks(len(mine), block)
        cells = [name(pair, k) for pair in order(mine)] + [pad(flat)] * (count * block)
        sorted_ids += cells[: count * block]
        expert_ids += [expert] * count
    return sorted_ids, expert_ids


def unpadded(ids: list[list[int]], block: int, experts: int) -> Lists:
    """Segments follow one another without padding."""
    sorted_ids, expert_ids = align(ids, block, experts)
    total = sum(map(len, ids))
    return [pair for pair in sorted_ids if pair < total], expert_ids


def per_position(ids: list[list[int]], block: int, experts: int) -> Lists:
    """An expert for each position."""
    sorted_ids, expert_ids = align(ids, block, experts)
    return sorted_ids, [expert for expert in expert_ids for _ in range(block)]


def worst_size(ids: list[list[int]], block: int, experts: int) -> Lists:
    """sorted_ids as long as it could get, as in a kernel's buffer."""
    sorted_ids, expert_ids = align(ids, block, experts)
    total = sum(map(len, ids))
    return sorted_ids + [total] * (total + experts * (block - 1) - len(sorted_ids)), expert_ids


WAYS: Mapping[str, Callable[..., Lists]] = {
    "not-stable": partial(align, order=lambda mine: mine[::-1]),
    "pads-zero": partial(align, pad=lambda flat: 0),
    "pads-minus-one": partial(align, pad=lambda flat: -1),
    "pads-valid-count": partial(align, pad=lambda flat: sum(one >= 0 for one in flat)),
    "empty-experts": partial(align, blocks=lambda count, block: max(1, -(-count // block))),
    "block-too-many": partial(align, blocks=lambda count, block: count // block + 1),
    "block-too-many-for-some": partial(align, blocks=lambda count, block: count // block + 1 if count else 0),
    "last-block-dropped": partial(align, blocks=lambda count, block: count // block),
    "tokens-not-pairs": partial(align, name=lambda pair, k: pair // k),
    "nobody-counted": partial(align, nobody=0),
    "nobody-last": lambda ids, block, experts: align(ids, block, experts, nobody=experts - 1),
    "not-padded": unpadded,
    "expert-per-position": per_position,
    "worst-size": worst_size,
}
SAME_ADVICE = {"block-too-many-for-some": "block-too-many", "nobody-last": "nobody-counted"}


def verify(got: Any, ids: torch.Tensor, block: int, experts: int, *, because: str = "") -> None:
    """Both results are right; ``because`` names what the case was made to see."""
    pair = isinstance(got, tuple) and len(got) == 2
    check.that(pair, mistake="not-a-pair", field="moe_align_block_size", got=got)
    rows = ids.tolist()
    want = align(rows, block, experts)
    mistake = named(got, rows, block, experts)
    for field, found, right in zip(("sorted_ids", "expert_ids"), got, want, strict=True):
        check.tensor(
            found,
            like=torch.tensor(right, dtype=torch.int32),
            field=field,
            mistake=mistake or because or f"{field}-wrong",
            dtype="not-int32",
        )


def named(got: Any, rows: list[list[int]], block: int, experts: int) -> str:
    """The mistake that gives just these two results, or ""."""
    if not all(isinstance(found, torch.Tensor) and found.device.type == "cpu" for found in got):
        return ""
    lists = tuple(found.tolist() for found in got)
    if lists == align(rows, block, experts):
        return ""
    key = next((key for key, way in WAYS.items() if way(rows, block, experts) == lists), "")
    return SAME_ADVICE.get(key, key)


def routed(
    rng: Rng, tokens: int, k: int, experts: int, dtype: torch.dtype = torch.int32, empty: int = 2
) -> torch.Tensor:
    """Different experts for each token, some chosen more often than others, and ``empty`` never."""
    chosen = rng.permutation(experts)[: experts - empty]
    odds = torch.tensor(rng.random(len(chosen)) ** 2 + 0.02)
    keys = torch.tensor(rng.random((tokens, len(chosen)))) ** (1 / odds)
    return torch.tensor(chosen)[keys.topk(k, dim=1).indices].to(dtype)
