"""Hidden cases: random captures and replays, then what was made to see one mistake."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng
from judge.grading.stateful import Run

from .hooks import batch, random_run, start
from .playing import play


@case(part="capture", points=10)
def test_capture_sizes_in_any_order(submission: Any, rng: Rng) -> None:
    runs = []
    for _ in range(4):
        sizes = sorted(int(bs) for bs in rng.permutation(12)[:4] + 1)
        runs.append(start(rng, int(rng.integers(3, 9)), [sizes[1], sizes[3], sizes[0], sizes[2]]))
    play(submission, runs)


@case(part="capture", points=10)
def test_capture_unknown_size(submission: Any, rng: Rng) -> None:
    """Smaller than the largest, but not in the list; then one that is."""
    width = int(rng.integers(5, 9))
    run = start(rng, width, [2, 8])
    play(submission, [[*run[:1], {"op": "capture", "bs": bs}, *run[1:]] for bs in (3, 7, 9, 0)])


@case(part="capture", points=10)
def test_capture_init_twice(submission: Any, rng: Rng) -> None:
    """A second call is refused, and the first one's buffers go on."""
    width = int(rng.integers(5, 9))
    run = start(rng, width, [3, 1])
    play(submission, [[*run, {"op": "init", "max_seq_len": width + 1, "sizes": [5]}, batch(rng, 3, width)]])


@case(part="capture", points=10)
def test_capture_one_size(submission: Any, rng: Rng) -> None:
    play(submission, [start(rng, int(rng.integers(20, 40)), [int(rng.integers(9, 20))]) for _ in range(2)])


@case(part="replay", points=15, means={"RuntimeError": "copies-whole-width"})
def test_replay_random(submission: Any, rng: Rng) -> None:
    play(submission, [random_run(rng, 10) for _ in range(8)])


@case(part="replay", points=10, means={"RuntimeError": "copies-whole-width"})
def test_replay_table_of_full_width(submission: Any, rng: Rng) -> None:
    width = int(rng.integers(7, 12))
    run = start(rng, width, [4, 2])
    play(
        submission,
        [[*run, batch(rng, 4, width, width), batch(rng, 2, width, 1), batch(rng, 4, width, width)]],
    )


@case(part="replay", points=10)
def test_replay_unknown_size(submission: Any, rng: Rng) -> None:
    """Refused before anything is written: the next batch is replayed as ever."""
    width = int(rng.integers(7, 12))
    run: Run = start(rng, width, [4, 2])
    play(submission, [[*run, batch(rng, bs, width), batch(rng, 4, width)] for bs in (3, 1, 5)])


@case(part="replay", points=10)
def test_replay_prefill(submission: Any, rng: Rng) -> None:
    width = int(rng.integers(7, 12))
    prefill = {**batch(rng, 2, width), "queries": int(rng.integers(2, 5))}
    play(submission, [[*start(rng, width, [2, 4]), prefill, batch(rng, 2, width)]])


@case(part="replay", points=5, means={"RuntimeError": "copies-whole-width"})
def test_replay_sizes_by_turns(submission: Any, rng: Rng) -> None:
    """The graphs share buffers or do not, but each sees its own batch when its turn comes."""
    width = int(rng.integers(7, 12))
    turns = [batch(rng, bs, width) for _ in range(4) for bs in (1, 6, 3)]
    play(submission, [start(rng, width, [3, 6, 1]) + turns])
