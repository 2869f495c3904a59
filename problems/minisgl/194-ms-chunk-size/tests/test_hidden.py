"""Hidden cases: chunks that divide the prompt and chunks that exceed it, nobody who decodes, many candidates."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .rounds import choose_all, costs, gap, simulate_all


@case(part="simulate", points=10)
def test_simulate_chunks_that_divide(submission: Any, rng: Rng) -> None:
    """No chunk is left over, and none of zero tokens is computed."""
    inputs = []
    for C in (1, 7, 64, 512):
        inputs += [[C * times, C, int(rng.integers(1, 50)), *costs(rng)] for times in (1, 2, 5)]
    simulate_all(submission, inputs)


@case(part="simulate", points=10)
def test_simulate_larger_than_the_prompt(submission: Any, rng: Rng) -> None:
    """One chunk, as long as the prompt and no longer."""
    inputs = []
    for _ in range(6):
        L = int(rng.integers(1, 900))
        inputs.append([L, L + int(rng.integers(1, 900)), int(rng.integers(1, 50)), *costs(rng)])
    simulate_all(submission, inputs)


@case(part="simulate", points=10)
def test_simulate_nobody_decodes(submission: Any, rng: Rng) -> None:
    """No decode round, and nobody who pauses."""
    inputs = [[int(rng.integers(300, 900)), C, 0, *costs(rng)] for C in (32, 100, 2000)]
    simulate_all(submission, [*inputs, [600, 200, 3, *costs(rng)]])


@case(part="simulate", points=12)
def test_simulate_random(submission: Any, rng: Rng) -> None:
    inputs = []
    for _ in range(20):
        L, C, n = int(rng.integers(1, 5000)), int(rng.integers(1, 600)), int(rng.integers(0, 60))
        inputs.append([L, C, n, *costs(rng)])
    simulate_all(submission, inputs)


@case(part="best", points=8)
def test_best_slo_just_met(submission: Any, rng: Rng) -> None:
    """The limit is just what one candidate needs, or one less."""
    inputs: list[list[Any]] = []
    for spare in (0, -1):
        for _ in range(4):
            (a, b), n, L = costs(rng), int(rng.integers(1, 50)), int(rng.integers(900, 2000))
            candidates = [100, 200, 400, 800]
            inputs.append([L, n, a, b, gap(L, rng.pick(candidates[1:]), n, a, b) + spare, candidates])
    choose_all(submission, inputs)


@case(part="best", points=8)
def test_best_equal_ttft(submission: Any, rng: Rng) -> None:
    """Chunk sizes that need the same number of rounds, in any order."""
    inputs: list[list[Any]] = []
    for _ in range(5):
        a, b = costs(rng)
        candidates = [[500, 600, 700, 999], [1200, 5000, 1000, 3000], [350, 400, 450]][int(rng.integers(3))]
        shuffled = [candidates[place] for place in rng.permutation(len(candidates))]
        inputs.append([1000, int(rng.integers(1, 50)), a, b, 10**9, shuffled])
    choose_all(submission, inputs)


@case(part="best", points=8)
def test_best_any_order(submission: Any, rng: Rng) -> None:
    """The candidates come in no order, some twice, and the list stays as it is."""
    inputs: list[list[Any]] = []
    for _ in range(8):
        candidates = [int(one) for one in rng.integers(1, 3000, 12)]
        L, n, (a, b) = int(rng.integers(500, 5000)), int(rng.integers(1, 50)), costs(rng)
        inputs.append([L, n, a, b, gap(L, rng.pick(candidates), n, a, b), candidates])
    choose_all(submission, inputs)


@case(part="best", points=8)
def test_best_none_and_all(submission: Any, rng: Rng) -> None:
    """No candidate keeps the limit, there is no candidate, or nobody decodes and all do."""
    (a, b), L = costs(rng), int(rng.integers(500, 900))
    some = [64, 256, 128]
    choose_all(
        submission,
        [[L, 5, a, b, a, some], [L, 5, a, b, 10**9, []], [L, 0, a, b, 0, some], [L, 5, a, b, 10**9, some]],
    )


@case(part="best", points=10, means={"TLE": "rounds-walked"})
def test_best_every_size(submission: Any, rng: Rng) -> None:
    """A prompt of a million tokens, and every chunk size up to 4096."""
    candidates = [int(size) for size in rng.permutation(4096) + 1]
    inputs = []
    for _ in range(2):
        a, b = costs(rng)
        inputs.append([10**6, 8, a, b, gap(10**6, int(rng.integers(500, 4000)), 8, a, b), candidates])
    choose_all(submission, inputs)
