"""Inputs of `fused_moe_grouped`, the right sum in float64, and wrong ones that have a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng


class Call(NamedTuple):
    """The arguments of `fused_moe_grouped`."""

    x: torch.Tensor
    w: torch.Tensor
    ids: torch.Tensor
    weights: torch.Tensor
    block: int


def make(rng: Rng, ids: torch.Tensor, experts: int, d: int, f: int, block: int) -> Call:
    """Numbers of about 1; weights that do not sum to 1."""
    tokens = len(ids)
    w = rng.tensor(experts, f, d, scale=d**-0.5)
    weights = torch.from_numpy(rng.random(tuple(ids.shape)) * 0.6 + 0.1).float()
    return Call(rng.tensor(tokens, d), w, ids, weights, block)


def products(call: Call) -> torch.Tensor:
    """float64 [T, k, F]: what each pair's expert makes of its token; 0 for a pair without an expert."""
    found = torch.zeros(*call.ids.shape, call.w.shape[1], dtype=torch.float64)
    for expert in range(len(call.w)):
        token, place = (call.ids == expert).nonzero(as_tuple=True)
        if len(token):
            found[token, place] = call.x[token].double() @ call.w[expert].double().T
    return found


def combined(call: Call, weights: torch.Tensor) -> torch.Tensor:
    """[T, F] in x's dtype: the weighted sum over the pairs of each token."""
    return (products(call) * weights.double().unsqueeze(2)).sum(1).to(call.x.dtype)


def right(call: Call) -> torch.Tensor:
    """The answer; weights of pairs without an expert do not matter."""
    return combined(call, call.weights.masked_fill(call.ids < 0, 0))


def one_of_each(call: Call, last: bool) -> torch.Tensor:
    """Only one expert of each token arrives: the one with the highest (or lowest) number."""
    keep = call.ids == (call.ids.amax(1, keepdim=True) if last else call.ids.amin(1, keepdim=True))
    return combined(call, call.weights * keep)


def without_repeats(call: Call) -> torch.Tensor:
    """Of pairs with one token and one expert, only the last arrives."""
    repeats = torch.zeros_like(call.ids, dtype=torch.bool)
    for place in range(call.ids.shape[1]):
        repeats[:, place] = (call.ids[:, place + 1 :] == call.ids[:, place : place + 1]).any(1)
    return combined(call, call.weights * ~repeats)


def by_other_tokens(call: Call, token: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """Pairs belong to other tokens than they should."""
    rows = token(torch.arange(call.ids.numel())).clamp(0, len(call.x) - 1)
    out = torch.zeros(len(call.x), call.w.shape[1], dtype=torch.float64)
    for row, expert, weight in zip(
        rows.tolist(), call.ids.flatten().tolist(), call.weights.flatten().tolist(), strict=True
    ):
        if expert >= 0:
            out[row] += weight * (call.w[expert].double() @ call.x[row].double())
    return out.to(call.x.dtype)


def with_padding(call: Call) -> torch.Tensor:
    """Padding counts as the last pair once more."""
    out = right(call).double()
    counts = torch.bincount(call.ids.flatten()[call.ids.flatten() >= 0].long(), minlength=len(call.w))
    for expert, extra in enumerate((-counts % call.block).tolist()):
        out[-1] += extra * call.weights[-1, -1].double() * (call.w[expert].double() @ call.x[-1].double())
    return out.to(call.x.dtype)


def named(call: Call) -> Mapping[str, Callable[[], Any]]:
    """Wrong answers by mistake."""
    weights, count = call.weights, len(call.x)
    return {
        "weight-twice": lambda: combined(call, weights**2),
        "weight-missing": lambda: combined(call, torch.ones_like(weights)),
        "renormalised": lambda: combined(call, weights / weights.sum(1, keepdim=True)),
        "overwritten": lambda: one_of_each(call, last=True),
        "duplicates-lost": lambda: without_repeats(call),
        "k-is-two": lambda: by_other_tokens(call, lambda pairs: pairs // 2),
        "pair-by-column": lambda: by_other_tokens(call, lambda pairs: pairs % count),
        "padding-added": lambda: with_padding(call),
        "not-transposed": lambda: right(call._replace(w=call.w.transpose(1, 2))),
    }


def verify(got: Any, call: Call, *, because: str = "", name: bool = True) -> None:
    """``got`` is the weighted sum; ``because`` names what the case was made to see."""
    check.tensor(
        got,
        like=right(call),
        field="out",
        mistake=because or "out-wrong",
        shape="out-shape",
        dtype="out-dtype",
        known=named(call) if name else None,
    )
