"""Hidden cases: frequencies of many draws, then the edges: u, k, p, ties, -inf, ranges and dtypes."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .sampling import DRAWS, Row, arguments, batch_of, right, uniform, verify, verify_form


def logits(rng: Rng, shares: list[float]) -> torch.Tensor:
    """Logits of these probabilities at shuffled tokens, moved up or down as a whole."""
    probs = torch.tensor(shares)[rng.permutation(len(shares)).tolist()]
    return probs.log() + float(rng.integers(-5, 6))


def draw(submission: Any, rng: Rng, row: Row, **how: Any) -> None:
    """Many draws from one row."""
    verify(submission.sample_batch(*arguments(row, uniform(rng, DRAWS))), row, **how)


SHARES = [0.36, 0.27, 0.16, 0.1, 0.07, 0.04]


@case(part="filter", points=5)
def test_filter_edges_of_u(submission: Any, rng: Rng) -> None:
    """u = 0 and u just below 1 draw what may be drawn, where the first and last tokens may not."""
    for shares in ([0.0, 0.5, 0.0, 0.3, 0.2, 0.0], [1e-9, 0.4, 0.0, 0.35, 0.25, 1e-9]):
        row = Row(torch.tensor(shares).log() + float(rng.integers(-3, 4)), 1.0, 3, 1.0)
        u = torch.tensor([0.0, 1 - 2**-24, 1e-30, 1 - 2**-23])
        got = verify_form(submission.sample_batch(*arguments(row, u)), 4, 6)
        allowed = bool((right(row)[got] > 0).all())
        check.that(allowed, mistake="edge-of-u", field="tokens", got=got, want=(right(row) > 0).nonzero())


@case(part="distribution", points=6)
@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [(1.0, -1, 1.0), (0.7, -1, 0.75), (1.6, 4, 1.0), (1.0, 3, 0.8), (1.4, 5, 0.7), (0.5, 4, 0.93)],
    ids=["plain", "top-p", "top-k", "both", "both-warm", "both-cold"],
)
def test_distribution(submission: Any, rng: Rng, temperature: float, top_k: int, top_p: float) -> None:
    draw(submission, rng, Row(logits(rng, SHARES), temperature, top_k, top_p))


@case(part="filter", points=5)
def test_filter_greedy(submission: Any, rng: Rng) -> None:
    """Temperature 0, and k = 1 at a high one: the most likely token, whatever u."""
    row = logits(rng, SHARES)
    for one in (Row(row, 0.0), Row(row, 0.0, 3, 0.9), Row(row, 2.0, 1, 1.0), Row(row, -1.0)):
        draw(submission, rng, one, because="greedy-sampled")


@case(part="filter", points=5)
def test_filter_rows_have_their_own_parameters(submission: Any, rng: Rng) -> None:
    """Every row another set of parameters, in one batch, again and again."""
    rows = [
        Row(logits(rng, SHARES), 0.0),
        Row(logits(rng, SHARES), 1.0, 2, 1.0),
        Row(logits(rng, SHARES), 1.0, -1, 0.3),
        Row(logits(rng, SHARES), 1.3, 4, 0.8),
        Row(logits(rng, SHARES), 1.0, 1, 1.0),
    ]
    for _ in range(20):
        got = verify_form(submission.sample_batch(*batch_of(rows, uniform(rng, 5))), 5, 6)
        for row, token in zip(rows, got.tolist(), strict=True):
            check.that(bool(right(row)[token] > 0), mistake="rows-mixed", field="tokens", got=token)


@case(part="filter", points=5, means={"RE": "k-out-of-range"})
def test_filter_k_out_of_range(submission: Any, rng: Rng) -> None:
    """k below 1 or above V cuts nothing."""
    for k in (-1, 0, 6, 7, 1000):
        draw(submission, rng, Row(logits(rng, SHARES), 1.0, k), because="k-out-of-range")


@case(part="filter", points=5, means={"RE": "tiny-p"})
def test_filter_tiny_p(submission: Any, rng: Rng) -> None:
    """p smaller than the largest probability, 0 even: the most likely token remains."""
    for p in (0.1, 1e-6, 0.0):
        draw(submission, rng, Row(logits(rng, SHARES), 1.0, -1, p), because="tiny-p")


@case(part="filter", points=5)
def test_filter_ties(submission: Any, rng: Rng) -> None:
    """Equal logits at the edge of k and of p: the smaller token stays."""
    row = torch.tensor([0.1, 0.3, 0.1, 0.3, 0.1, 0.1]).log() + float(rng.integers(-3, 4))
    draw(submission, rng, Row(row, 1.0, 3), because="ties")
    draw(submission, rng, Row(row, 1.0, -1, 0.65), because="ties")
    draw(submission, rng, Row(row, 1.0, 1), because="ties")
    draw(submission, rng, Row(row, 0.0), because="ties")
    draw(submission, rng, Row(row, -1.0), because="ties")
    equal = torch.full((4,), float(rng.integers(-3, 4)))  # two of these are exactly one half
    draw(submission, rng, Row(equal, 1.0, -1, 0.5), because="ties")


@case(part="filter", points=5)
def test_filter_large_logits(submission: Any, rng: Rng) -> None:
    for shift in (1e4, -1e4, 80.0):
        row = torch.tensor([0.0, 2.0, 1.0, -3.0, 1.0, 0.0]) + shift
        draw(submission, rng, Row(row, 1.0, 4, 0.9), because="overflow")


@case(part="filter", points=5)
def test_filter_minus_infinity(submission: Any, rng: Rng) -> None:
    """Tokens that a mask has ruled out are never drawn, at no temperature and no k."""
    inf = float("inf")
    row = torch.tensor([-inf, 0.5, -inf, 1.0, 0.2, -inf]) + float(rng.integers(-3, 4))
    for one in (Row(row), Row(row, 1.5, 5), Row(row, 1.0, -1, 0.99), Row(row, 0.0)):
        draw(submission, rng, one, because="minus-infinity")


@case(part="filter", points=5)
def test_filter_bfloat16(submission: Any, rng: Rng) -> None:
    # one apart and far from 0, where bfloat16 is coarse: at this temperature they are 1.11 apart
    row = (torch.arange(195, 201)[rng.permutation(6).tolist()] + int(rng.integers(-4, 5))).to(torch.bfloat16)
    draw(submission, rng, Row(row, 0.9, 5, 0.95), because="half-precision")


@case(part="filter", points=5, means={"TLE": "python-loop"})
def test_filter_large_vocabulary(submission: Any, rng: Rng) -> None:
    vocab, count = 50_000, 24
    rows = torch.zeros(count, vocab)
    special = rng.integers(0, vocab, (count, 2))
    for i, tokens in enumerate(special.tolist()):
        rows[i, tokens] = 30.0
    parameters = [
        torch.full((count,), 1.0),
        torch.full((count,), 40, dtype=torch.int32),
        torch.full((count,), 0.9),
    ]
    got = verify_form(
        submission.sample_batch(rows.bfloat16(), *parameters, uniform(rng, count)), count, vocab
    )
    for tokens, token in zip(special.tolist(), got.tolist(), strict=True):
        check.that(token in tokens, mistake="filtered-token", field="tokens", got=token, want=tokens)


@case(part="filter", points=5)
def test_filter_leaves_inputs_alone(submission: Any, rng: Rng) -> None:
    rows = [Row(logits(rng, SHARES), 0.7, 3, 0.9), Row(logits(rng, SHARES), 1.2, -1, 0.5)]
    given = batch_of(rows, uniform(rng, 2))
    got, *after = submission.harness.call_and_show_inputs(given)
    verify_form(got, 2, 6)
    for name, old, new in zip(("logits", "temperature", "top_k", "top_p", "u"), given, after, strict=True):
        same = isinstance(new, torch.Tensor) and torch.equal(new, old)
        check.that(same, mistake="inputs-changed", field=name, got=new, want=old)
