"""Pools full of marks, what must stand in them after a store, and wrong stores that have a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

BITS = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32}


@dataclass(frozen=True)
class Call:
    """One store, as harness.store takes it."""

    qkv: torch.Tensor
    heads: int
    dim: int
    form: str  # "split" or "transposed"
    pool: torch.Tensor
    layer: int
    layout: str  # "apart", "interleaved" or "heads"
    out_loc: torch.Tensor

    def rows(self) -> tuple[torch.Tensor, torch.Tensor]:
        """k and v [T, H, D]."""
        if self.form == "transposed":
            return self.qkv[0].transpose(0, 1), self.qkv[1].transpose(0, 1)
        width = self.heads * self.dim
        k, v = self.qkv[:, -2 * width : -width], self.qkv[:, -width:]
        return k.unflatten(1, (self.heads, self.dim)), v.unflatten(1, (self.heads, self.dim))

    def caches(self, pool: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The two caches within ``pool``."""
        if self.layout == "interleaved":
            return pool[:, self.layer, 0], pool[:, self.layer, 1]
        if self.layout == "heads":
            return pool[0, self.layer].transpose(0, 1), pool[1, self.layer].transpose(0, 1)
        return pool[0, self.layer], pool[1, self.layer]


def bits(rng: Rng, *shape: int, dtype: torch.dtype) -> torch.Tensor:
    """Any bit patterns: NaN with payloads, infinities and negative zeros among them."""
    if 0 in shape:
        return torch.empty(shape, dtype=dtype)
    size = dtype.itemsize
    raw = torch.from_numpy(rng.integers(0, 256, (*shape[:-1], shape[-1] * size)).astype("uint8"))
    return raw.view(dtype)


def make(
    rng: Rng,
    tokens: int,
    heads: int,
    dim: int,
    dtype: torch.dtype,
    *,
    form: str = "split",
    layout: str = "apart",
    slots: int = 0,
) -> Call:
    """Tokens for different slots of one of three layers."""
    slots = slots or 2 * tokens + 3
    shape = {
        "apart": (2, 3, slots, heads, dim),
        "interleaved": (slots, 3, 2, heads, dim),
        "heads": (2, 3, heads, slots, dim),
    }[layout]
    source = (2, heads, tokens, dim) if form == "transposed" else (tokens, (2 * heads + 2 * heads) * dim)
    out_loc = torch.from_numpy(rng.permutation(slots)[:tokens]).int()
    return Call(
        bits(rng, *source, dtype=dtype),
        heads,
        dim,
        form,
        bits(rng, *shape, dtype=dtype),
        int(rng.integers(0, 3)),
        layout,
        out_loc,
    )


def stored(
    call: Call,
    *,
    k: torch.Tensor | None = None,
    v: torch.Tensor | None = None,
    slots: torch.Tensor | None = None,
    swapped: bool = False,
) -> torch.Tensor:
    """The pool afterwards; each keyword is a place where a mistake can be made."""
    pool = call.pool.clone()
    rows = call.rows()
    caches = call.caches(pool)[::-1] if swapped else call.caches(pool)
    at = (call.out_loc if slots is None else slots).tolist()
    for values, cache in zip((rows[0] if k is None else k, rows[1] if v is None else v), caches, strict=True):
        for token, slot in enumerate(at):
            cache[slot] = values[token]
    return pool


def named(call: Call) -> Mapping[str, Callable[[], Any]]:
    """Wrong pools by mistake."""
    k, v = call.rows()

    def dense(values: torch.Tensor) -> torch.Tensor:
        """Read as if it were contiguous, from its first element on."""
        flat = values.as_strided(
            (values.untyped_storage().nbytes() // values.element_size() - values.storage_offset(),), (1,)
        )
        return flat.repeat(2)[: values.numel()].view(values.shape)

    return {
        "contiguous-assumed": lambda: stored(call, k=dense(k), v=dense(v)),
        "v-into-k": lambda: stored(call, k=v),
        "k-into-v": lambda: stored(call, v=k),
        "swapped": lambda: stored(call, swapped=True),
        "by-position": lambda: stored(call, slots=torch.arange(len(k))),
        "nothing-stored": lambda: call.pool,
        "only-k": lambda: stored(call, v=call.caches(call.pool)[1][call.out_loc.long()]),
    }


def store(submission: Any, call: Call, *, free: int = -1, because: str = "") -> None:
    """Judges one store by the bits of the whole pool; slot ``free`` may hold anything afterwards."""
    got = submission.harness.store(
        call.qkv, call.heads, call.dim, call.form, call.pool, call.layer, call.layout, call.out_loc
    )
    result, pool, qkv, out_loc = got
    check.equal(result, None, field="store_cache", mistake="returns-something")
    kind = BITS[call.pool.dtype]
    want = stored(call)
    if free >= 0:
        pool = pool.clone()
        for mine, right in zip(call.caches(pool), call.caches(want), strict=True):
            mine[free] = right[free]
    if not because:
        because = "others-written" if elsewhere(pool, call) else "pool-wrong"
    known = (
        {key: lambda make=make: make().view(kind) for key, make in named(call).items()} if free < 0 else None
    )
    check.tensor(pool.view(kind), like=want.view(kind), field="pool", mistake=because, known=known)
    check.tensor(qkv.view(kind), like=call.qkv.view(kind), field="k, v", mistake="sources-changed")
    check.tensor(out_loc, like=call.out_loc, field="out_loc", mistake="sources-changed")


def elsewhere(pool: torch.Tensor, call: Call) -> bool:
    """Whether anything changed besides the slots in out_loc."""
    kind = BITS[pool.dtype]
    after, before = pool.clone(), call.pool.clone()
    for one in (after, before):
        for cache in call.caches(one):
            cache[call.out_loc.long()] = 0
    return not torch.equal(after.view(kind), before.view(kind))
