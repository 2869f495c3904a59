"""Inputs of `paged_attention_from_meta`, attention in float64 by definition, and wrong ways that have a name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

from .csr import Batch, expected, pages_of


class Call(NamedTuple):
    """The arguments of `paged_attention_from_meta`."""

    q: torch.Tensor
    k_cache: torch.Tensor
    v_cache: torch.Tensor
    meta: dict[str, torch.Tensor]
    size: int


@dataclass(frozen=True)
class Rules:
    """How attention is done. The defaults are right; a mistake differs in one of them."""

    visible: Callable[[int, int, int], int] = lambda i, count, length: length - count + i + 1
    kv_head: Callable[[torch.Tensor, int, int], torch.Tensor] = lambda h, heads, kv: h // (heads // kv)
    scale: Callable[[int, int], float] = lambda heads, dim: dim**-0.5
    pages: Callable[[list[int]], list[int]] = lambda pages: pages
    values: str = "v"


MISTAKES = {
    "mask-none": Rules(visible=lambda i, count, length: length),
    "mask-top-left": Rules(visible=lambda i, count, length: i + 1),
    "mask-one-less": Rules(visible=lambda i, count, length: max(length - count + i, 1)),
    "scale-missing": Rules(scale=lambda heads, dim: 1.0),
    "scale-dim": Rules(scale=lambda heads, dim: 1 / dim),
    "scale-hidden": Rules(scale=lambda heads, dim: (heads * dim) ** -0.5),
    "head-modulo": Rules(kv_head=lambda h, heads, kv: h % kv),
    "head-first-only": Rules(kv_head=lambda h, heads, kv: h * 0),
    "pages-in-order": Rules(pages=lambda pages: [*range(pages[0], pages[0] + len(pages))]),
    "values-from-keys": Rules(values="k"),
}


def make(
    rng: Rng,
    batch: Batch,
    heads: int,
    kv_heads: int,
    dim: int,
    dtype: torch.dtype = torch.float32,
    strangers: bool = True,
    sharp: float = 1.0,
) -> tuple[Call, list[list[int]]]:
    """Caches that hold NaN wherever no token of the batch lies (``strangers``: in others' pages, too); each request's pages.

    ``sharp`` times larger queries make larger scores, whose rounding in half precision shows.
    """
    pages = [pages_of(batch, request) for request in batch.reqs]
    count = max((page for mine in pages for page in mine), default=0) + 3
    shape = (count, batch.size, kv_heads, dim)
    owned = torch.full((count, batch.size), not strangers)
    owned[[page for mine in pages for page in mine]] = False
    for mine, (_, _, end) in zip(pages, batch.reqs, strict=True):
        for place in range(end):
            owned[mine[place // batch.size], place % batch.size] = True
    caches = [
        rng.tensor(*shape, dtype=dtype).masked_fill_(~owned[..., None, None], float("nan")) for _ in "kv"
    ]
    tokens = sum(end - start for _, start, end in batch.reqs)
    q = (sharp * rng.tensor(tokens, heads, dim)).to(dtype)
    return Call(q, *caches, expected(batch), batch.size), pages


def attention(call: Call, batch: Batch, pages: list[list[int]], rules: Rules = Rules()) -> torch.Tensor:
    """[N, H, d] in q's dtype: query by query, every step written out in float64."""
    heads, kv_heads, dim = call.q.shape[1], call.k_cache.shape[2], call.q.shape[2]
    head = rules.kv_head(torch.arange(heads), heads, kv_heads)
    out = []
    for mine, (_, start, end) in zip(pages, batch.reqs, strict=True):
        taken = torch.tensor(rules.pages(mine)).clamp(max=len(call.k_cache) - 1)
        k = call.k_cache[taken].flatten(0, 1)[:end][:, head].double()
        v = (
            (call.v_cache if rules.values == "v" else call.k_cache)[taken]
            .flatten(0, 1)[:end][:, head]
            .double()
        )
        for i in range(end - start):
            seen = rules.visible(i, end - start, end)
            scores = torch.einsum("hd,lhd->hl", call.q[len(out)].double(), k[:seen]) * rules.scale(heads, dim)
            out.append(torch.einsum("hl,lhd->hd", scores.softmax(-1), v[:seen]))
    return torch.stack(out).to(call.q.dtype) if out else torch.empty_like(call.q)


def attend(submission: Any, rng: Rng, batch: Batch, heads: int, kv_heads: int, dim: int, **how: Any) -> None:
    """Calls ``paged_attention_from_meta`` with right metadata and verifies what came back."""
    call, pages = make(rng, batch, heads, kv_heads, dim, **how)
    verify(submission.paged_attention_from_meta(*call), call, batch, pages)


def verify(got: Any, call: Call, batch: Batch, pages: list[list[int]]) -> None:
    """``got`` is the attention of ``call``."""
    want = attention(call, batch, pages)
    alike = isinstance(got, torch.Tensor) and (got.dtype, got.shape) == (want.dtype, want.shape)
    ill = alike and not bool(got.isfinite().all())
    near = alike and got.dtype == torch.float16 and torch.allclose(got.float(), want.float(), 0.02, 0.02)
    check.tensor(
        got,
        like=want,
        field="out",
        mistake="poison-read" if ill else "half-computed" if near else "out-wrong",
        dtype="out-dtype",
        shape="out-shape",
        known={key: lambda r=rules: attention(call, batch, pages, r) for key, rules in MISTAKES.items()},
    )
