"""Rounds over a paged pool, one layer in float64 by definition, the wrong ways that have a name, and the checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

Span = tuple[int, int]  # cached_len, device_len
Pools = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class Round:
    """The arguments of one call; the pools are as they were before it."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    out_loc: torch.Tensor
    pools: Pools
    meta: dict[str, torch.Tensor] = field(repr=False)

    def arguments(self) -> list[Any]:
        """In the order of ``attn_layer``."""
        return [self.q, self.k, self.v, self.out_loc, *self.pools, self.meta]

    def stored(self, **changed: Any) -> Pools:
        """The pools with k and v written; ``changed`` replaces the slots, or what goes to each pool."""
        slots = changed.get("slots", self.out_loc).long()
        new = [pool.clone() for pool in self.pools]
        for pool, rows in zip(new, (changed.get("k", self.k), changed.get("v", self.v)), strict=True):
            for slot, row in zip(slots.tolist(), rows, strict=True):
                if 0 <= slot < len(pool):
                    pool[slot] = row
        return new[0], new[1]


def make(
    rng: Rng,
    spans: Sequence[Span],
    *,
    dummies: int = 0,
    heads: int = 4,
    kv_heads: int = 2,
    dim: int = 8,
    dtype: torch.dtype = torch.float32,
    slots: Sequence[int] | None = None,
) -> Round:
    """Requests in random slots of a pool that is full of others' numbers; ``dummies`` share one slot and one token.

    ``slots``: those of all KV in order, in the place of random ones.
    """
    lens = [end for _, end in spans]
    size = max([sum(lens) + 5, *(slots or [])]) + 4
    free = torch.from_numpy(rng.permutation(size - 2) + 1).int()
    if slots is not None:
        free = torch.tensor(list(slots), dtype=torch.int32)
    table = torch.zeros(len(spans) + dummies, max([*lens, 1]) + 2, dtype=torch.int32)
    taken = 0
    for row, length in zip(table, lens, strict=False):
        row[:length] = free[taken : taken + length]
        taken += length
    if dummies:
        table[len(spans) :] = free[taken]
    every = [*spans, *[(0, 1)] * dummies]
    counts = [end - start for start, end in every]
    meta = {
        "cu_seqlens_q": torch.tensor([sum(counts[:i]) for i in range(len(counts) + 1)], dtype=torch.int32),
        "cache_seqlens": torch.tensor([end for _, end in every], dtype=torch.int32),
        "page_table": table,
    }
    places = [row[start:end] for row, (start, end) in zip(table, every, strict=True)]
    out_loc = torch.cat([torch.empty(0, dtype=torch.int32), *places])
    total, real = sum(counts), sum(counts) - dummies
    q, k, v = (rng.tensor(total, n, dim, dtype=dtype) for n in (heads, kv_heads, kv_heads))
    for one in (q, k, v):
        one[real:] = one[real : real + 1]
    pools = (rng.tensor(size, kv_heads, dim, dtype=dtype), rng.tensor(size, kv_heads, dim, dtype=dtype))
    return Round(q, k, v, out_loc, pools, meta)


def attention(call: Round, pools: Pools) -> torch.Tensor:
    """float64 [N, H, d]: query by query over what ``pools`` hold."""
    group = call.q.shape[1] // call.k.shape[1]
    bounds, lens = call.meta["cu_seqlens_q"].tolist(), call.meta["cache_seqlens"].tolist()
    out = torch.zeros(call.q.shape, dtype=torch.float64)
    for i, length in enumerate(lens):
        for t in range(bounds[i], bounds[i + 1]):
            seen = call.meta["page_table"][i, : length - bounds[i + 1] + t + 1].long()
            keys, values = (pool[seen].double().repeat_interleave(group, 1) for pool in pools)
            scores = torch.einsum("hd,lhd->hl", call.q[t].double(), keys) * call.q.shape[-1] ** -0.5
            out[t] = torch.einsum("hl,lhd->hd", scores.softmax(-1), values)
    return out


def last_rows_only(call: Round) -> Pools:
    """The mistake of writing only the last token of each request."""
    last = call.meta["cu_seqlens_q"][1:].long() - 1
    slots = torch.full_like(call.out_loc, -1)
    slots[last] = call.out_loc[last]
    return call.stored(slots=slots)


def wrong_stores(call: Round) -> dict[str, Callable[[], Pools]]:
    """Pools as some mistake leaves them, by its key."""
    old, loc = call.pools, call.out_loc
    first = int(loc[0]) if len(loc) else 0
    run = torch.arange(first, first + len(loc))
    return {
        "stale-read": lambda: old,
        "v-not-written": lambda: (call.stored()[0], old[1]),
        "k-not-written": lambda: (old[0], call.stored()[1]),
        "pools-swapped": lambda: call.stored(k=call.v, v=call.k),
        "v-from-k": lambda: call.stored(v=call.k),
        "slots-in-one-run": lambda: call.stored(slots=run),
        "slots-sorted": lambda: call.stored(slots=loc.sort().values),
        "slots-reversed": lambda: call.stored(slots=loc.flip(0)),
        "last-token-only": lambda: last_rows_only(call),
        "slots-shifted": lambda: call.stored(slots=loc + 1),
        "added-not-written": lambda: (
            old[0].index_add(0, loc.long(), call.k),
            old[1].index_add(0, loc.long(), call.v),
        ),
    }


def verify_out(got: Any, call: Round, *, because: str = "") -> None:
    """``got`` is the attention over the pools with this round written."""
    want = attention(call, call.stored()).to(call.q.dtype)
    known = {
        key: (lambda make=make: attention(call, make()).to(call.q.dtype))
        for key, make in wrong_stores(call).items()
    }
    check.that(isinstance(got, torch.Tensor), mistake="out-not-a-tensor", field="out", got=got)
    check.tensor(
        got,
        like=want,
        field="out",
        mistake=because or "out-values",
        shape="out-shape",
        known={} if because else known,
    )


def verify_pools(after: dict[str, Any], call: Round, *, because: str = "") -> None:
    """Both pools hold this round's rows exactly, and are as they were elsewhere."""
    before = call.pools
    slots = call.out_loc.long()
    for name, got, want, old in zip(
        ("k_pool", "v_pool"), (after["k_pool"], after["v_pool"]), call.stored(), before, strict=True
    ):
        if torch.equal(got, want):
            continue
        untouched = torch.ones(len(old), dtype=torch.bool)
        untouched[slots] = False
        if bool((got == old).all()):
            check.tensor(got, like=want, field=name, mistake=because or "pool-unwritten")
        key = "other-slots" if not torch.equal(got[untouched], old[untouched]) else because or "pool-values"
        check.tensor(got, like=want, field=name, mistake=key)
        check.that(torch.equal(got, want), mistake="pool-values", field=name)


def verify(after: Any, call: Round, **how: Any) -> None:
    """What ``harness.layer`` handed back: result and pools."""
    verify_out(after["out"], call, **how)
    verify_pools(after, call, **how)


def run(submission: Any, call: Round, **how: Any) -> None:
    """Calls the layer and verifies all of it."""
    verify(submission.harness.layer(*call.arguments()), call, **how)


def strided(call: Round) -> Round:
    """The same numbers with k and v cut from a fused qkv, and the pools from a transposed buffer."""
    heads, kv_heads = call.q.shape[1], call.k.shape[1]
    qkv = torch.cat([call.q, call.k, call.v], dim=1)
    q, k, v = qkv.split([heads, kv_heads, kv_heads], dim=1)
    pools = tuple(pool.transpose(1, 2).contiguous().transpose(1, 2) for pool in call.pools)
    out_loc = torch.stack([call.out_loc, call.out_loc * 0], dim=1)[:, 0]
    return replace(call, q=q, k=k, v=v, out_loc=out_loc, pools=(pools[0], pools[1]))
