"""Attention in float64 by the book's definition, the wrong ways that have a name, and the check of `forward`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

from .batches import Batch, pools
from .metadata import expected

Meta = dict[str, Any]


@dataclass(frozen=True)
class Inputs:
    """The arguments of one call of ``forward``."""

    q: torch.Tensor
    k_pool: torch.Tensor
    v_pool: torch.Tensor
    meta: Meta

    def __iter__(self) -> Any:
        return iter((self.q, self.k_pool, self.v_pool, self.meta))

    @cached_property
    def want(self) -> torch.Tensor:
        """The right output."""
        return attention(self).to(self.q.dtype)


def inputs(
    rng: Rng,
    batch: Batch,
    heads: int,
    kv_heads: int,
    dim: int,
    *,
    dtype: torch.dtype = torch.float32,
    scale: float = 1.0,
    poison: float | None = None,
) -> Inputs:
    """Random arguments for ``batch``, with the right metadata."""
    k_pool, v_pool = pools(rng, batch, kv_heads, dim, dtype, poison)
    return Inputs(
        rng.tensor(batch.tokens, heads, dim, dtype=dtype, scale=scale), k_pool, v_pool, expected(batch)
    )


def whole_numbers(
    rng: Rng, batch: Batch, q_size: int, k_size: int, heads: int = 4, kv_heads: int = 2
) -> Inputs:
    """Large scores that are exact in float32 whatever the order of summing: integers, and a head size of 16."""
    call = inputs(rng, batch, heads, kv_heads, 16)
    k_pool = rng.ints(-k_size, k_size + 1, *call.k_pool.shape, dtype=torch.float32)
    return replace(call, q=rng.ints(-q_size, q_size + 1, *call.q.shape, dtype=torch.float32), k_pool=k_pool)


@dataclass(frozen=True)
class Segment:
    """One request of a call: ``n`` queries at the end of ``length`` keys, how many the first has, and the table's width."""

    index: int
    n: int
    length: int
    first_n: int
    columns: int


@dataclass(frozen=True)
class Rules:
    """How attention is done. The defaults are right; a mistake differs in one of them."""

    slots: Callable[[torch.Tensor, Segment], torch.Tensor] = lambda row, s: row[: s.length]
    visible: Callable[[Segment, int], torch.Tensor] = lambda s, keys: diagonal(s.n, keys, s.length - s.n)
    kv_head: Callable[[torch.Tensor, int, int], torch.Tensor] = lambda h, heads, kv_heads: (
        h // (heads // kv_heads)
    )
    scale: Callable[[int, int, int], float] = lambda heads, kv_heads, dim: dim**-0.5
    softmax_dim: int = -1
    values: str = "v"
    turn_back: Callable[[torch.Tensor], torch.Tensor] = lambda out: out.transpose(0, 1)


RIGHT = Rules()


def diagonal(n: int, keys: int, offset: int) -> torch.Tensor:
    """bool [n, keys]: query r sees key j when ``j <= r + offset``."""
    return torch.arange(keys) <= torch.arange(n)[:, None] + offset


def attention(call: Inputs, rules: Rules = RIGHT) -> torch.Tensor:
    """float64 [N, H, d]: a loop over requests with every step written out."""
    heads, dim = call.q.shape[1:]
    kv_heads = call.k_pool.shape[1]
    head = rules.kv_head(torch.arange(heads), heads, kv_heads)
    cu, lens = call.meta["cu_seqlens_q"].tolist(), call.meta["cache_seqlens"].tolist()
    out = torch.zeros(call.q.shape, dtype=torch.float64)
    for i, length in enumerate(lens):
        segment = Segment(i, cu[i + 1] - cu[i], length, cu[1], call.meta["page_table"].shape[1])
        slots = rules.slots(call.meta["page_table"][i].long(), segment)
        slots = slots.clamp(-len(call.k_pool), len(call.k_pool) - 1)
        keys = call.k_pool[slots][:, head].double()
        values = (call.v_pool if rules.values == "v" else call.k_pool)[slots][:, head].double()
        scores = torch.einsum("nhd,lhd->hnl", call.q[cu[i] : cu[i + 1]].double(), keys)
        scores = scores * rules.scale(heads, kv_heads, dim)
        scores = scores.masked_fill(~rules.visible(segment, len(slots)), float("-inf"))
        weights = scores.softmax(dim=rules.softmax_dim)
        out[cu[i] : cu[i + 1]] = rules.turn_back(torch.einsum("hnl,lhd->hnd", weights, values))
    return out


def expect(*calls: Inputs) -> None:
    """Computes the right outputs. Before the call: meanwhile the cell is at the case before."""
    for call in calls:
        _ = call.want


def see_all(s: Segment, keys: int) -> torch.Tensor:
    """No mask."""
    return torch.ones(s.n, keys, dtype=torch.bool)


MISTAKES: dict[str, Rules] = {
    "mask-first-decides": Rules(
        visible=lambda s, keys: see_all(s, keys) if s.first_n == 1 else diagonal(s.n, keys, s.length - s.n)
    ),
    "mask-top-left": Rules(visible=lambda s, keys: diagonal(s.n, keys, 0)),
    "mask-none": Rules(visible=see_all),
    "mask-strict": Rules(visible=lambda s, keys: diagonal(s.n, keys, s.length - s.n - 1)),
    "mask-one-ahead": Rules(visible=lambda s, keys: diagonal(s.n, keys, s.length - s.n + 1)),
    "mask-from-longest": Rules(visible=lambda s, keys: diagonal(s.n, keys, s.columns - s.n)),
    "reads-past-length": Rules(
        slots=lambda row, s: row, visible=lambda s, keys: diagonal(s.n, keys, s.columns - s.n)
    ),
    "reads-past-unmasked": Rules(slots=lambda row, s: row, visible=see_all),
    "last-key-missed": Rules(
        slots=lambda row, s: row[: max(s.length - 1, 1)],
        visible=lambda s, keys: diagonal(s.n, keys, s.length - s.n),
    ),
    "prefix-ignored": Rules(
        slots=lambda row, s: row[s.length - s.n : s.length], visible=lambda s, keys: diagonal(s.n, keys, 0)
    ),
    "keys-by-slot": Rules(slots=lambda row, s: row[: s.length].sort().values),
    "keys-contiguous": Rules(slots=lambda row, s: row[0] + torch.arange(s.length)),
    "table-ignored": Rules(slots=lambda row, s: torch.arange(s.length)),
    "head-modulo": Rules(kv_head=lambda h, heads, kv_heads: h % kv_heads),
    "head-div-kv-heads": Rules(kv_head=lambda h, heads, kv_heads: (h // kv_heads).clamp(max=kv_heads - 1)),
    "head-group-of-two": Rules(kv_head=lambda h, heads, kv_heads: (h // 2).clamp(max=kv_heads - 1)),
    "head-first-only": Rules(kv_head=lambda h, heads, kv_heads: h * 0),
    "scale-missing": Rules(scale=lambda heads, kv_heads, dim: 1.0),
    "scale-dim": Rules(scale=lambda heads, kv_heads, dim: 1 / dim),
    "scale-inverse": Rules(scale=lambda heads, kv_heads, dim: dim**0.5),
    "scale-heads": Rules(scale=lambda heads, kv_heads, dim: heads**-0.5),
    "scale-hidden": Rules(scale=lambda heads, kv_heads, dim: (heads * dim) ** -0.5),
    "scale-128": Rules(scale=lambda heads, kv_heads, dim: 128**-0.5),
    "scale-of-the-example": Rules(scale=lambda heads, kv_heads, dim: 16**-0.5),
    "softmax-over-queries": Rules(softmax_dim=-2),
    "softmax-over-heads": Rules(softmax_dim=0),
    "values-from-keys": Rules(values="k"),
    "heads-not-turned-back": Rules(
        turn_back=lambda out: out.reshape(out.shape[1], out.shape[0], out.shape[2])
    ),
}


def packed(call: Inputs) -> torch.Tensor:
    """The mistake of one causal attention over the whole batch: every request sees those before it."""
    lens, table = call.meta["cache_seqlens"].tolist(), call.meta["page_table"]
    row = torch.cat([table[i, :length] for i, length in enumerate(lens)])
    meta = {"cu_seqlens_q": torch.tensor([0, len(call.q)]), "cache_seqlens": torch.tensor([len(row)])}
    return attention(replace(call, meta={**meta, "page_table": row[None]}))


def without_dummies(call: Inputs) -> torch.Tensor:
    """The mistake of leaving the dummies' rows at zero."""
    out = attention(call)
    out[real_rows(call) :] = 0
    return out


def real_rows(call: Inputs) -> int:
    """How many query rows belong to real requests."""
    return int(call.meta["cu_seqlens_q"][len(call.meta["last_indices"])])


def with_stale_plan(call: Inputs, meta: Meta) -> torch.Tensor:
    """The mistake of computing ``call`` by another batch's metadata, whose slots need not exist."""
    table = meta["page_table"].clamp(0, len(call.k_pool) - 1)
    return attention(replace(call, meta={**meta, "page_table": table})).to(call.q.dtype)


def named(call: Inputs) -> dict[str, Callable[[], torch.Tensor]]:
    """Wrong outputs by mistake, made when asked for."""

    def wrong_by(rules: Rules) -> Callable[[], torch.Tensor]:
        return lambda: attention(call, rules).to(call.q.dtype)

    every = {key: wrong_by(rules) for key, rules in MISTAKES.items()}
    every["requests-mixed"] = lambda: packed(call).to(call.q.dtype)
    every["dummy-rows"] = lambda: without_dummies(call).to(call.q.dtype)
    return every


def verify(
    got: Any, call: Inputs, *, because: str = "", nan: str = "", shape: str = "out-shape", also: Any = None
) -> None:
    """``got`` is the attention of ``call``. ``because`` names the mistake that the case was made to see, ``nan`` the one
    that shows as NaN or Inf there; ``also`` adds wrong outputs, tried first."""
    want = call.want
    ill = isinstance(got, torch.Tensor) and (got.device, got.dtype) == (want.device, want.dtype)
    ill = ill and not bool(got.isfinite().all())
    check.that(isinstance(got, torch.Tensor), mistake="out-not-a-tensor", field="out", got=got)
    check.tensor(
        got,
        like=want,
        field="out",
        mistake=(nan or "out-not-finite") if ill else because or "out-values",
        dtype="out-dtype",
        shape=shape,
        axes=(0, 1),
        # all-NaN answers look alike: where the case knows what NaN means, no other name is tried
        known={} if ill and nan else {**(also or {}), **named(call)},
    )
