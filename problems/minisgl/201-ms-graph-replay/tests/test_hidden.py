"""Hidden cases: sizes, recording and padding, batches in any order, and what was made to see one mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .runners import batch, new, play, sizes_up_to

WRONG_SIZES: Mapping[str, Callable[[int], list[int]]] = {
    "sizes-unfiltered": lambda n: [1, 2, 4, *range(8, n + 1, 8)],
    "maximum-left-out": lambda n: [bs for bs in (1, 2, 4, *range(8, n, 8)) if bs <= n],
    "maximum-added": lambda n: sorted({*sizes_up_to(n), n}),
    "powers-of-two": lambda n: [1 << i for i in range(max(n, 0).bit_length())],
    "sizes-from-8": lambda n: [*range(8, n + 1, 8)],
}


def sizes(submission: Any, inputs: list[int]) -> None:
    """Judges `determine_graph_bs`."""
    got = [submission.determine_graph_bs(n) for n in inputs]
    for n, found in zip(inputs, got, strict=True):
        known = {key: lambda way=way, n=n: way(n) for key, way in WRONG_SIZES.items()}
        check.equal(found, sizes_up_to(n), field="sizes", mistake="sizes-wrong", known=known)


@case(part="sizes", points=5)
def test_sizes_small(submission: Any, rng: Rng) -> None:
    sizes(submission, [2, 3, 1, 4, 7, 5, 0])


@case(part="sizes", points=5)
def test_sizes_large(submission: Any, rng: Rng) -> None:
    eights = 8 * int(rng.integers(3, 20))
    sizes(submission, [eights + 5, eights, 8, 9, eights - 1, -3])


@case(part="capture", points=10)
def test_capture_any_maximum(submission: Any, rng: Rng) -> None:
    for max_bs in (1, 3, 8, int(rng.integers(17, 40))):
        play(submission, [[new(max_bs, int(rng.integers(2, 6)))]])


@case(part="capture", points=10)
def test_capture_padding(submission: Any, rng: Rng) -> None:
    """Every number of requests, none and too many, too."""
    for max_bs in (12, 3):
        play(submission, [[new(max_bs), *(batch(rng, count, "pad") for count in range(1, 12))]])
    play(submission, [[new(4), batch(rng, 0, "pad"), batch(rng, 1, "pad")]])


@case(part="run", points=15)
def test_run_random(submission: Any, rng: Rng) -> None:
    counts = [[int(n) for n in rng.integers(1, 20, 12)] for _ in range(3)]
    play(submission, [[new(16), *(batch(rng, n) for n in some)] for some in counts])


@case(part="run", points=10)
def test_run_shrinking_batch(submission: Any, rng: Rng) -> None:
    """Requests end one by one, and their rows become dummies."""
    play(submission, [[new(8), *(batch(rng, n) for n in range(8, 0, -1))]])


@case(part="run", points=10)
def test_run_above_the_largest(submission: Any, rng: Rng) -> None:
    """More than the largest graph though not more than max_bs: the model is called with the requests as they are."""
    play(submission, [[new(3), batch(rng, 3), batch(rng, 2), batch(rng, 5)]])
    play(submission, [[new(15), batch(rng, 9), batch(rng, 8), batch(rng, 15)]])


@case(part="run", points=5, means={"RE": "no-graphs-fails"})
def test_run_without_graphs(submission: Any, rng: Rng) -> None:
    play(submission, [[new(0), batch(rng, 1), batch(rng, 3), batch(rng, 2, "pad")]])


@case(part="run", points=5, means={"RE": "empty-fails"})
def test_run_empty_batch(submission: Any, rng: Rng) -> None:
    """Nothing to run: no call, no rows; and then something."""
    play(submission, [[new(4), batch(rng, 0), batch(rng, 2)]])


@case(part="run", points=10)
def test_run_results_stay(submission: Any, rng: Rng) -> None:
    """The same number of requests each time; all results are looked at in the end."""
    play(
        submission,
        [[new(8, 3), *(batch(rng, 8) for _ in range(4))], [new(8, 3), *(batch(rng, 5) for _ in range(4))]],
    )
