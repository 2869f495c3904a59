"""Inputs, decode attention in float64 by definition, the wrong ways that have a name, and the check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

NOWHERE = 1 << 30  # a cell that names no slot of any pool


@dataclass(frozen=True)
class Inputs:
    """The arguments of one call."""

    q: torch.Tensor
    k_pool: torch.Tensor
    v_pool: torch.Tensor
    table: torch.Tensor
    lens: torch.Tensor

    def __iter__(self) -> Iterator[torch.Tensor]:
        return iter((self.q, self.k_pool, self.v_pool, self.table, self.lens))

    def owned(self) -> torch.Tensor:
        """bool [slots]: which slots hold somebody's KV."""
        mask = torch.zeros(len(self.k_pool), dtype=torch.bool)
        for row, length in zip(self.table, self.lens.tolist(), strict=True):
            mask[row[:length].long()] = True
        return mask

    def poisoned(self, number: float) -> Inputs:
        """The same with ``number`` in all slots that nobody owns."""
        pools = [pool.clone() for pool in (self.k_pool, self.v_pool)]
        for pool in pools:
            pool[~self.owned()] = number
        return replace(self, k_pool=pools[0], v_pool=pools[1])


def inputs(
    rng: Rng,
    lens: Sequence[int],
    heads: int = 4,
    kv_heads: int = 2,
    dim: int = 16,
    *,
    extra: int = 2,
    dtype: torch.dtype = torch.float32,
    scale: float = 1.0,
    junk: Sequence[int] = (-1, 0, 3),
) -> Inputs:
    """Requests with KV of ``lens`` in random slots; the first and last slot are nobody's.

    The table is ``extra`` columns wider than the longest; cells past a request's length hold ``junk``.
    """
    slots, width = sum(lens) + 6, max(lens, default=0) + extra
    free = torch.from_numpy(rng.permutation(slots - 2) + 1).int()
    table = torch.tensor(junk, dtype=torch.int32)[
        torch.from_numpy(rng.integers(len(junk), size=(len(lens), width)))
    ]
    taken = 0
    for row, length in zip(table, lens, strict=True):
        row[:length] = free[taken : taken + length]
        taken += length
    pools = [rng.tensor(slots, kv_heads, dim, dtype=dtype) for _ in range(2)]
    q = rng.tensor(len(lens), heads, dim, dtype=dtype, scale=scale)
    return Inputs(q, *pools, table, torch.tensor(list(lens), dtype=torch.int32))


@dataclass(frozen=True)
class Rules:
    """How attention is done. The defaults are right; a mistake differs in one of them."""

    length: Callable[[int, torch.Tensor, Inputs], int] = lambda n, row, call: n
    padding: bool = False  # whether the first slot stands in for all cells of padding, and counts
    kv_head: Callable[[torch.Tensor, int, int], torch.Tensor] = lambda h, heads, kv: h // (heads // kv)
    scale: Callable[[int, int, int], float] = lambda heads, kv, dim: dim**-0.5
    values: str = "v"


def attention(call: Inputs, rules: Rules = Rules()) -> torch.Tensor:
    """float64 [bs, H, d]: request by request, every step written out."""
    bs, heads, dim = call.q.shape
    kv_heads = call.k_pool.shape[1]
    head = rules.kv_head(torch.arange(heads), heads, kv_heads)
    out = torch.zeros(bs, heads, dim, dtype=torch.float64)
    for i, length in enumerate(call.lens.tolist()):
        row = call.table[i].long()
        slots = row[: rules.length(length, row, call)].clamp(-len(call.k_pool), len(call.k_pool) - 1)
        if rules.padding:
            slots = torch.cat([slots, row[:1].expand(len(row) - length)])
        keys = call.k_pool[slots][:, head].double()
        values = (call.v_pool if rules.values == "v" else call.k_pool)[slots][:, head].double()
        scores = torch.einsum("hd,lhd->hl", call.q[i].double(), keys) * rules.scale(heads, kv_heads, dim)
        out[i] = torch.einsum("hl,lhd->hd", scores.softmax(-1), values)
    return out


def no_query_but_zero(call: Inputs) -> torch.Tensor:
    """The mistake of zeroing keys in the place of hiding scores: padding weighs exp(0) and adds no value."""
    bs, heads, dim = call.q.shape
    group = heads // call.k_pool.shape[1]
    out = torch.zeros(bs, heads, dim, dtype=torch.float64)
    for i, length in enumerate(call.lens.tolist()):
        slots = call.table[i, :length].long()
        keys, values = (
            pool[slots].double().repeat_interleave(group, 1) for pool in (call.k_pool, call.v_pool)
        )
        scores = torch.einsum("hd,lhd->hl", call.q[i].double(), keys) * dim**-0.5
        scores = torch.cat([scores, scores.new_zeros(heads, call.table.shape[1] - length)], dim=1)
        out[i] = torch.einsum("hl,lhd->hd", scores.softmax(-1)[:, :length], values)
    return out


MISTAKES: dict[str, Rules] = {
    "mask-none": Rules(length=lambda n, row, call: len(row)),
    "padding-duplicated": Rules(padding=True),
    "mask-longest": Rules(length=lambda n, row, call: int(call.lens.max())),
    "mask-one-more": Rules(length=lambda n, row, call: n + 1),
    "last-key-missed": Rules(length=lambda n, row, call: max(n - 1, 1)),
    "lens-from-cells": Rules(length=lambda n, row, call: int((row >= 0).sum())),
    "head-modulo": Rules(kv_head=lambda h, heads, kv: h % kv),
    "head-first-only": Rules(kv_head=lambda h, heads, kv: h * 0),
    "scale-missing": Rules(scale=lambda heads, kv, dim: 1.0),
    "scale-dim": Rules(scale=lambda heads, kv, dim: 1 / dim),
    "scale-hidden": Rules(scale=lambda heads, kv, dim: (heads * dim) ** -0.5),
    "scale-of-the-example": Rules(scale=lambda heads, kv, dim: 16**-0.5),
    "values-from-keys": Rules(values="k"),
}


def named(call: Inputs) -> dict[str, Callable[[], torch.Tensor]]:
    """Wrong outputs by mistake, made when asked for."""

    def wrong_by(rules: Rules) -> Callable[[], torch.Tensor]:
        return lambda: attention(call, rules).to(call.q.dtype)

    return {
        **{key: wrong_by(rules) for key, rules in MISTAKES.items()},
        "nan-hidden": lambda: torch.where(
            (call.lens < call.table.shape[1])[:, None, None], 0, attention(call).to(call.q.dtype)
        ),
        "padding-weighs": lambda: no_query_but_zero(call).to(call.q.dtype),
    }


def verify(got: Any, call: Inputs, *, because: str = "", nan: str = "out-not-finite") -> None:
    """``got`` is the attention of ``call``. ``because`` names the mistake that the case was made to see, ``nan`` what
    NaN or Inf mean there."""
    want = attention(call).to(call.q.dtype)
    check.that(isinstance(got, torch.Tensor), mistake="out-not-a-tensor", field="out", got=got)
    alike = (got.dtype, got.device) == (want.dtype, want.device)
    ill = alike and got.shape == want.shape and not bool(got.isfinite().all())
    check.tensor(
        got,
        like=want,
        field="out",
        mistake=nan if ill else because or "out-values",
        dtype="out-dtype",
        shape="out-shape",
        device="wrong-device",
        known={} if ill or because else named(call),
    )


def attend(submission: Any, call: Inputs, **how: Any) -> None:
    """Calls ``decode_attention`` and verifies what came back."""
    verify(submission.decode_attention(*call), call, **how)
