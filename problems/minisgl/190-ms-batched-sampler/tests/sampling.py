"""The right distribution of one row, wrong ones that have a name, and a test that tells them apart.

A row is repeated many times with a fresh uniform number each. The count of a token is binomial, and by Chernoff's bound
it leaves the region accepted here with probability below `FALSE_ALARM` for all tokens of a case together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch

from judge.grading.author import check, wrong
from judge.grading.seeds import Rng

FALSE_ALARM = 1e-9  # for each case; all cases of a judgement together stay below 1e-6
DRAWS = 20_000


class Row(NamedTuple):
    """One row and its parameters."""

    logits: torch.Tensor
    temperature: float = 1.0
    top_k: int = -1
    top_p: float = 1.0


Rule = Callable[[Row], torch.Tensor]


def softmax(row: Row, floor: float = 1e-6) -> torch.Tensor:
    """Probabilities of the row at its temperature, float64 [V]."""
    return (row.logits.double() / max(row.temperature, floor)).softmax(-1)


def order(probs: torch.Tensor) -> torch.Tensor:
    """Tokens from the most likely to the least; of equal ones the smaller first."""
    return probs.sort(descending=True, stable=True).indices


def cut_k(probs: torch.Tensor, k: int) -> torch.Tensor:
    """Without all but the k most likely; not renormalised."""
    k = len(probs) if k < 1 else k
    kept = torch.zeros_like(probs)
    kept[order(probs)[:k]] = 1
    return probs * kept


def cut_p(probs: torch.Tensor, p: float, *, crossing: bool = True, least: int = 1) -> torch.Tensor:
    """Without what stands behind the first tokens that reach ``p`` together; not renormalised."""
    ranked = order(probs)
    sums = probs[ranked].cumsum(0)
    keep = (sums - probs[ranked] < p) if crossing else (sums <= p)
    keep[:least] = True
    kept = torch.zeros_like(probs)
    kept[ranked[keep]] = 1
    return probs * kept


def normal(probs: torch.Tensor) -> torch.Tensor:
    """Summing to 1."""
    return probs / probs.sum()


def right(row: Row) -> torch.Tensor:
    """The engine's rule: temperature, top-k, renormalise, top-p, renormalise."""
    k = 1 if row.temperature <= 0 else row.top_k
    return normal(cut_p(normal(cut_k(softmax(row), k)), row.top_p))


def point(token: int, row: Row) -> torch.Tensor:
    """All probability on one token."""
    return torch.nn.functional.one_hot(torch.tensor(token), len(row.logits)).double()


KNOWN: Mapping[str, Rule] = {
    "no-renormalisation": lambda row: normal(cut_p(cut_k(softmax(row), row.top_k), row.top_p)),
    "drops-the-crossing": lambda row: normal(
        cut_p(normal(cut_k(softmax(row), row.top_k)), row.top_p, crossing=False)
    ),
    "top-p-ignored": lambda row: normal(cut_k(softmax(row), row.top_k)),
    "top-k-ignored": lambda row: normal(cut_p(softmax(row), row.top_p)),
    "temperature-ignored": lambda row: right(row._replace(temperature=1.0)),
    "temperature-times": lambda row: right(row._replace(temperature=1 / max(row.temperature, 1e-6))),
    "temperature-late": lambda row: normal(
        right(row._replace(temperature=1.0)) ** (1 / max(row.temperature, 1e-6))
    ),
    "greedy-sampled": lambda row: right(
        row._replace(temperature=row.temperature if row.temperature > 0 else 1.0)
    ),
    "always-greedy": lambda row: point(int(row.logits.argmax()), row),
    "one-too-many": lambda row: right(row._replace(top_k=row.top_k + 1 if row.top_k > 0 else -1)),
    "ranks-not-tokens": lambda row: right(row)[order(right(row))],
    "uniform": lambda row: normal((right(row) > 0).double()),
    "first-token": lambda row: point(0, row),
}


def arguments(row: Row, u: torch.Tensor) -> list[torch.Tensor]:
    """``row`` for each number of ``u``; one row in memory, whatever the batch."""
    count = len(u)
    return [
        row.logits.expand(count, -1),
        torch.tensor(row.temperature).expand(count),
        torch.tensor(row.top_k, dtype=torch.int32).expand(count),
        torch.tensor(row.top_p).expand(count),
        u,
    ]


def uniform(rng: Rng, count: int) -> torch.Tensor:
    """float32 numbers in [0, 1), multiples of 2**-24 as torch.rand makes them."""
    return rng.ints(0, 1 << 24, count, dtype=torch.int64).float() / (1 << 24)


def verify_form(got: Any, count: int, vocab: int) -> torch.Tensor:
    """``got`` is int64 [count], all of them tokens."""
    check.that(isinstance(got, torch.Tensor), mistake="not-a-tensor", field="tokens", got=got)
    check.that(got.dtype == torch.int64, mistake="not-int64", field="tokens", got=got)
    check.that(got.shape == (count,), mistake="tokens-shape", field="tokens", got=got)
    inside = bool(((got >= 0) & (got < vocab)).all())
    check.that(inside, mistake="no-token", field="tokens", got=got)
    return got


def verify(got: Any, row: Row, *, because: str = "") -> None:
    """``got`` was drawn from the right distribution of ``row``; ``because``: what the case was made to see."""
    verify_all([(got, row)], because=because)


def verify_all(drawn: list[tuple[Any, Row]], *, because: str = "") -> None:
    """All draws at once, so that the wrong rule that explains them all can be named."""
    counted = []
    for got, row in drawn:
        tokens = verify_form(got, len(got) if isinstance(got, torch.Tensor) else 0, len(row.logits))
        counted.append((torch.bincount(tokens, minlength=len(row.logits)).double(), row))
    named = next((key for key, rule in KNOWN.items() if all(fits(c, rule(row)) for c, row in counted)), "")
    for counts, row in counted:
        want = right(row)
        if fits(counts, want):
            continue
        filtered = bool((counts[want == 0] > 0).any())
        wrong(
            because or named or ("filtered-token" if filtered else "distribution-wrong"),
            field="tokens",
            got=shares(counts / counts.sum()),
            want=shares(want),
        )


def fits(counts: torch.Tensor, probs: torch.Tensor) -> bool:
    """Whether every count is likely enough: n * KL(count / n, p) within the bound of the false-alarm rate."""
    n = float(counts.sum())
    bound = math.log(2 * len(counts) / FALSE_ALARM)
    share = counts / n
    divergence = torch.special.xlogy(share, share / probs) + torch.special.xlogy(
        1 - share, (1 - share) / (1 - probs).clamp(min=1e-300)
    )
    divergence = torch.where((probs <= 0) & (share == 0), 0.0, divergence)
    return bool((n * divergence <= bound + 1e-6 * n * (probs > 0)).all())


def shares(probs: torch.Tensor) -> dict[int, float]:
    """The likely tokens and how often each comes."""
    ranked = probs.argsort(descending=True)[:10].tolist()
    return {token: round(float(probs[token]), 4) for token in ranked if probs[token] > 0}


def batch_of(rows: list[Row], u: torch.Tensor) -> list[torch.Tensor]:
    """One row after the other, each with its own parameters."""
    return [
        torch.stack([row.logits for row in rows]),
        torch.tensor([row.temperature for row in rows]),
        torch.tensor([row.top_k for row in rows], dtype=torch.int32),
        torch.tensor([row.top_p for row in rows]),
        u,
    ]
