"""Hidden cases: whole lives of requests, refusals, the ids, identity."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .requests import attempt, life, play


@case(part="lengths", points=14)
def test_lengths_random(submission: Any, rng: Rng) -> None:
    play(submission, [life(rng) for _ in range(10)])


@case(part="lengths", points=10)
def test_lengths_no_output(submission: Any, rng: Rng) -> None:
    """A request that may not grow is legal, and cannot decode."""
    play(submission, [life(rng, output_len=0), life(rng, output_len=1), life(rng)])


@case(part="lengths", points=10)
def test_lengths_cached_beyond(submission: Any, rng: Rng) -> None:
    n = int(rng.integers(6, 12))
    play(submission, [[attempt(n, cached, 3), *life(rng)] for cached in (n, n + 1, n + 7)])


@case(part="lengths", points=10)
def test_lengths_negative(submission: Any, rng: Rng) -> None:
    n = int(rng.integers(6, 12))
    play(submission, [[attempt(n, *pair), *life(rng)] for pair in ((-1, 3), (0, -1), (n - 1, -2))])


@case(part="lengths", points=10)
def test_lengths_empty_prompt(submission: Any, rng: Rng) -> None:
    play(submission, [[attempt(0, 0, 5), *life(rng)]])


@case(part="tokens", points=10)
def test_tokens_int64(submission: Any, rng: Rng) -> None:
    """The sampler's tokens are int64; the ids stay int32."""
    play(submission, [life(rng, dtype="int64") for _ in range(3)])


@case(part="tokens", points=12)
def test_tokens_are_not_shared(submission: Any, rng: Rng) -> None:
    """Whoever holds the ids from before keeps them as they were, the caller too."""
    ids = rng.ints(0, 1000, int(rng.integers(4, 9)))
    tokens = [int(token) for token in rng.integers(0, 1000, 3)]
    caller, *held = submission.harness.append_and_show(ids, 1, tokens)
    check.tensor(caller, like=ids, field="input_ids", mistake="callers-ids-changed")
    for count, found in enumerate(held):
        want = torch.cat([ids, torch.tensor(tokens[:count], dtype=torch.int32)])
        check.tensor(found, like=want, field="input_ids", mistake="appended-in-place", dtype="ids-dtype")


@case(part="tokens", points=14, means={"TypeError": "unhashable", "RuntimeError": "compared-by-value"})
def test_tokens_identity(submission: Any, rng: Rng) -> None:
    """Two requests with one prompt are two: the scheduler keeps them in sets."""
    ids = rng.ints(0, 1000, int(rng.integers(4, 9)))
    *got, device_len = submission.harness.identities(ids, 1)
    check.equal(got, [False, True, 2, True, False], field="identity", mistake="compared-by-value")
    check.equal(device_len, len(ids) + 1, field="device_len", mistake="device_len-wrong")
