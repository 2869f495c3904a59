"""Inputs, right logits and wrong ones that have a name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng


class Call(NamedTuple):
    """The arguments of `lm_head`."""

    x: torch.Tensor
    weight: torch.Tensor
    meta: dict[str, torch.Tensor]
    bs: int
    is_prefill: bool


def make(
    rng: Rng,
    lengths: list[int],
    *,
    prefill: bool,
    dummies: int = 0,
    dim: int = 24,
    vocab: int = 37,
    dtype: torch.dtype = torch.float32,
) -> Call:
    """A batch of requests with ``lengths`` queries and then ``dummies`` of one query."""
    cu = torch.tensor(list(accumulate([*lengths, *[1] * dummies], initial=0)), dtype=torch.int32)
    x, weight = rng.tensor(int(cu[-1]), dim, dtype=dtype), rng.tensor(vocab, dim, dtype=dtype)
    return Call(x, weight, {"cu_seqlens_q": cu}, len(lengths), prefill)


def product(call: Call, rows: Any) -> torch.Tensor:
    """Logits of ``rows`` of x, in float64 until the end."""
    return (call.x[rows].double() @ call.weight.double().T).to(call.x.dtype)


def expected(call: Call) -> torch.Tensor:
    """The right logits."""
    if not call.is_prefill:
        return product(call, slice(None))
    return product(call, (call.meta["cu_seqlens_q"][1 : call.bs + 1] - 1).long())


def named(call: Call) -> dict[str, Callable[[], Any]]:
    """Wrong logits by mistake."""
    cu, bs, n = call.meta["cu_seqlens_q"].long(), call.bs, len(call.x)
    if not call.is_prefill:
        return {
            "decode-drops-dummies": lambda: product(call, slice(0, bs)),
            "last-row-only": lambda: product(call, slice(-1, None)),
            "probabilities": lambda: expected(call).float().softmax(-1),
        }
    return {
        "prefill-all-rows": lambda: product(call, slice(None)),
        "prefill-dummies": lambda: product(call, cu[1:] - 1),
        "one-past": lambda: product(call, cu[1 : bs + 1].clamp(max=n - 1)),
        "first-tokens": lambda: product(call, cu[:bs]),
        "first-rows": lambda: product(call, slice(0, bs)),
        "last-rows": lambda: product(call, slice(n - bs, n)),
        "last-row-only": lambda: product(call, slice(-1, None)),
        "equal-lengths": lambda: product(call, slice(n // bs - 1, None, n // bs)),
        "one-request-missing": lambda: product(call, cu[1:bs] - 1),
        "mean-of-request": lambda: torch.stack(
            [product(call, slice(a, b)).double().mean(0) for a, b in pairwise(cu[: bs + 1])]
        ).to(call.x.dtype),
        "probabilities": lambda: expected(call).float().softmax(-1),
    }


def verify(got: Any, call: Call, *, because: str = "", device: str = "cpu", large: bool = False) -> None:
    """``got`` are the logits of ``call``; ``because`` names the mistake where the case was made to see one.

    ``large``: too large to try the wrong answers that have a name.
    """
    check.that(isinstance(got, torch.Tensor), mistake="not-a-tensor", field="logits", got=got)
    default = "prefill-wrong" if call.is_prefill else "decode-wrong"
    check.tensor(
        got,
        like=expected(call).to(device),
        field="logits",
        mistake=because or default,
        dtype="logits-dtype",
        shape=because or default,
        device="wrong-device",
        known=None if large or device != "cpu" else named(call),
    )


def run(submission: Any, call: Call, **how: Any) -> None:
    """Calls `lm_head` and verifies what came back."""
    verify(submission.lm_head(*call), call, **how)
