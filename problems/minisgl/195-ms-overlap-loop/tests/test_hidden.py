"""Hidden cases: how a request ends, when it is freed, and random requests over many turns."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .loops import ending, play, random_run, request, script


@case(part="overlap", points=12)
def test_overlap_many_rounds(submission: Any, rng: Rng) -> None:
    """Requests that run side by side to their limits."""
    eos = ending(rng)
    limits = [int(limit) for limit in rng.integers(3, 9, 4)]
    play(
        submission,
        eos,
        [
            script([request(rng, eos, uid, limit) for uid, limit in enumerate(limits, 1)]),
            script([request(rng, eos, 9, 6)]),
        ],
    )


@case(part="overlap", points=12)
def test_overlap_late_arrivals(submission: Any, rng: Rng) -> None:
    """Requests join the round that is launched next; turns without any, and turns without work."""
    eos = ending(rng)
    first, late = (
        request(rng, eos, 1, 4),
        [request(rng, eos, uid, int(rng.integers(2, 6))) for uid in (2, 3, 4)],
    )
    play(
        submission,
        eos,
        [script([], [first], [], late[:1], [], late[1:], *[[]] * 12, [request(rng, eos, 1, 2)])],
    )


@case(part="overlap", points=10)
def test_overlap_idle(submission: Any, rng: Rng) -> None:
    """Nothing to do for a while, and nothing at all."""
    eos = ending(rng)
    play(
        submission,
        eos,
        [
            script([], []),
            script(),
            script([], [request(rng, eos, 3, 2)], *[[]] * 6, [request(rng, eos, 3, 3)], []),
        ],
    )


@case(part="ending", points=10)
def test_ending_by_eos(submission: Any, rng: Rng) -> None:
    """In the first round, in the middle, with the last token that was allowed, and one before it."""
    eos = ending(rng)
    limit = int(rng.integers(4, 8))
    runs = [
        script([request(rng, eos, 1, limit, at), request(rng, eos, 2, limit)])
        for at in (1, 2, limit - 1, limit)
    ]
    play(submission, eos, runs)


@case(part="ending", points=10)
def test_ending_all_at_once(submission: Any, rng: Rng) -> None:
    """All end in one round while the next is under way, some by their limit and some by EOS."""
    eos = ending(rng)
    size = int(rng.integers(3, 6))
    new = [
        request(rng, eos, 1, 9, size),
        request(rng, eos, 2, size),
        request(rng, eos, 3, 9, size),
        request(rng, eos, 4, size, size),
    ]
    play(submission, eos, [script(new), script(new[:2], [request(rng, eos, 5, 3)])])


@case(part="ending", points=10)
def test_ending_a_uid_again(submission: Any, rng: Rng) -> None:
    """A uid that ended while a round was under way comes back as another request."""
    eos = ending(rng)
    runs = []
    for at in (1, 2):
        other = request(rng, eos, 2, 9)
        runs.append(
            script([request(rng, eos, 1, 6, at), other], *[[]] * (at + 1), [request(rng, eos, 1, 4)], [], [])
        )
    play(submission, eos, runs)


@case(part="runs", points=13)
def test_runs_random(submission: Any, rng: Rng) -> None:
    eos = ending(rng)
    play(submission, eos, [random_run(rng, eos, 10) for _ in range(8)])


@case(part="runs", points=12)
def test_runs_long(submission: Any, rng: Rng) -> None:
    eos = ending(rng)
    play(submission, eos, [random_run(rng, eos, 60) for _ in range(2)])
