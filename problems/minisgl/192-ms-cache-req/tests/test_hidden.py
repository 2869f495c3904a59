"""Hidden cases: random lives over a shared cache, then what was made to see one mistake."""

from __future__ import annotations

from typing import Any

import pytest

from judge.grading.author import case
from judge.grading.seeds import Rng
from judge.grading.stateful import Run, Step

from .worlds import play, random_run


def admit(uid: int, ids: list[int]) -> Step:
    """A request."""
    return {"op": "admit", "uid": uid, "ids": ids}


def hand_over(uid: int, finished: bool) -> Step:
    """A call of cache_req."""
    return {"op": "hand_over", "uid": uid, "finished": finished}


def grown(rng: Rng, uid: int, count: int) -> Run:
    """``count`` decode steps; the last token has no KV yet."""
    tokens = [int(token) for token in rng.integers(1, 50, count)]
    return [
        step
        for token in tokens
        for step in ({"op": "compute", "uid": uid}, {"op": "token", "uid": uid, "ids": [token]})
    ]


def prompt(rng: Rng, count: int) -> list[int]:
    """Tokens."""
    return [int(token) for token in rng.integers(1, 1000, count)]


@case(part="finished", points=8)
@pytest.mark.parametrize("size", [1, 4])
def test_finished_alone(submission: Any, rng: Rng, size: int) -> None:
    """Nothing is cached before; what fills no page is freed."""
    ids = prompt(rng, 11)
    play(submission, size, [[admit(1, ids), *grown(rng, 1, 3), hand_over(1, True)]])


@case(part="finished", points=8)
def test_finished_after_a_hit(submission: Any, rng: Rng) -> None:
    """The prefix was locked at admission and belongs to the cache: it is neither freed nor new."""
    ids = prompt(rng, 12)
    play(
        submission,
        3,
        [[admit(1, ids), hand_over(1, True), admit(2, ids[:9] + prompt(rng, 4)), hand_over(2, True)]],
    )


@case(part="finished", points=8)
def test_finished_overtaken(submission: Any, rng: Rng) -> None:
    """A hit, and meanwhile another request has cached more of the same prompt."""
    ids = prompt(rng, 17)
    first = [admit(1, ids[:8]), hand_over(1, True)]
    play(submission, 4, [[*first, admit(2, ids), admit(3, ids[:14]), hand_over(3, True), hand_over(2, True)]])


@case(part="finished", points=8)
def test_finished_shorter_than_a_page(submission: Any, rng: Rng) -> None:
    """Nothing can be cached; then something."""
    play(
        submission,
        8,
        [[admit(1, prompt(rng, 5)), hand_over(1, True), admit(2, prompt(rng, 9)), hand_over(2, True)]],
    )


@case(part="running", points=10)
@pytest.mark.parametrize("size", [1, 4])
def test_running_then_finished(submission: Any, rng: Rng, size: int) -> None:
    """After its prefill, then after some tokens, with another request in between."""
    ids = prompt(rng, 10)
    run = [admit(1, ids), *grown(rng, 1, 1), admit(2, ids), hand_over(1, False), hand_over(2, False)]
    run += [*grown(rng, 2, 6), hand_over(2, True), *grown(rng, 1, 2), hand_over(1, True)]
    play(submission, size, [run])


@case(part="running", points=10)
def test_running_overtaken(submission: Any, rng: Rng) -> None:
    """The row of a live request must name the cache's slots, since its own are freed."""
    ids = prompt(rng, 17)
    first = [admit(1, ids[:8]), hand_over(1, True)]
    rest = [
        admit(3, ids[:14]),
        hand_over(3, False),
        hand_over(2, False),
        *grown(rng, 2, 3),
        hand_over(2, False),
    ]
    play(submission, 4, [[*first, admit(2, ids), *rest]])


@case(part="running", points=10)
def test_running_chunks(submission: Any, rng: Rng) -> None:
    """A prompt that is handed over chunk by chunk."""
    steps: Run = [admit(1, prompt(rng, 6))]
    for _ in range(3):
        steps += [
            hand_over(1, False),
            {"op": "token", "uid": 1, "ids": prompt(rng, 5)},
            {"op": "compute", "uid": 1},
        ]
    play(submission, 4, [[*steps, hand_over(1, True)]])


@case(part="running", points=5)
@pytest.mark.parametrize("size", [1, 3])
def test_running_random(submission: Any, rng: Rng, size: int) -> None:
    play(submission, size, [random_run(rng, 24) for _ in range(5)])
