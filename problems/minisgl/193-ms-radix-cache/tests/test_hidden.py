"""Hidden cases: random operations against the model, then what was made to see one mistake."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng
from judge.grading.stateful import Run

from .playing import ALL, TREE, play, random_runs
from .tree import common


@case(part="compare", points=4)
def test_compare_random(submission: Any, rng: Rng) -> None:
    for _ in range(12):
        a = [int(token) for token in rng.integers(0, 2, int(rng.integers(3, 30)))]
        b = a[: int(rng.integers(0, len(a) + 1))] + [int(token) for token in rng.integers(0, 3, 4)]
        got = submission.common_len(*(torch.tensor(ids, dtype=torch.int32) for ids in (a, b)))
        equal = sum(x == y for x, y in zip(a, b, strict=False))
        check.equal(got, common(a, b), field="common_len", mistake="compare-wrong",
                    known={"compare-counts": lambda n=equal: n})  # fmt: skip


@case(part="compare", points=4, means={"TLE": "compare-loop"})
def test_compare_long(submission: Any, rng: Rng) -> None:
    size = 300_000
    a = rng.ints(0, 1000, size)
    b = a.clone()
    place = int(rng.integers(size - 1000, size))
    b[place:] += 1
    for x, y, want in ((a, b, place), (a, a[:place], place)):
        check.equal(submission.common_len(x, y), want, field="common_len", mistake="compare-wrong")


@case(part="tree", points=7)
def test_tree_random(submission: Any, rng: Rng) -> None:
    play(submission, 1, random_runs(rng, 1, 8, 14, TREE))


@case(part="tree", points=7)
def test_tree_one_long_run(submission: Any, rng: Rng) -> None:
    play(submission, 1, random_runs(rng, 1, 1, 80, TREE))


@case(part="tree", points=6)
def test_tree_handles_survive_splits(submission: Any, rng: Rng) -> None:
    """A handle on a whole node, which is then split twice: its tokens stay the same."""
    a, b, c, d = (int(token) for token in rng.permutation(50)[:4])
    run: Run = [
        {"op": "insert", "ids": [a, b, c, d, a], "slots": [31, 32, 33, 34, 35], "name": "whole"},
        {"op": "match", "ids": [a, b, d], "name": "two"},
        {"op": "insert", "ids": [a, b, c, a], "slots": [41, 42, 43, 44], "name": "other"},
        {"op": "indices", "name": "whole"},
        {"op": "indices", "name": "two"},
        {"op": "indices", "name": "other"},
    ]
    play(submission, 1, [run])


@case(part="tree", points=6)
def test_tree_keeps_copies(submission: Any, rng: Rng) -> None:
    """The caller's tensors are overwritten after each call, and so are the results."""
    play(submission, 1, random_runs(rng, 1, 8, 14, TREE), overwrite=True, because="keeps-callers-memory")


@case(part="tree", points=4, means={"TLE": "compare-loop"})
def test_tree_long_prompts(submission: Any, rng: Rng) -> None:
    size, count = 12_000, 16
    cuts = [int(cut) for cut in rng.permutation(size)[:count]]
    want: list[int] = []
    for number, cut in enumerate(cuts):
        before = cuts[:number]
        want += [min(cut, max(before, default=0)), max([*before, cut])]
    got = submission.harness.long_prompts(rng.ints(0, 1000, size), cuts)
    check.equal(got, want, field="cached_len", mistake="match-wrong")


@case(part="evict", points=3)
def test_evict_split_keeps_the_time(submission: Any, rng: Rng) -> None:
    """A match reads the first half of an old node: the other half is as old as before, and goes first."""
    a, b, c, d = (int(token) for token in rng.permutation(50)[:4])
    run: Run = [
        {"op": "insert", "ids": [a, b, c, d], "slots": [61, 62, 63, 64], "name": "old"},
        {"op": "insert", "ids": [c, d], "slots": [71, 72], "name": "newer"},
        {"op": "match", "ids": [a, b], "name": "half"},
        {"op": "insert", "ids": [d, d, d], "slots": [81, 82, 83], "name": "newest"},
        *[{"op": "evict", "size": 1}] * 4,
    ]
    play(submission, 1, [run])


@case(part="evict", points=3)
def test_evict_a_match_is_a_use(submission: Any, rng: Rng) -> None:
    """The older of two prompts was matched since: the other one goes."""
    a, b, c, d = (int(token) for token in rng.permutation(50)[:4])
    run: Run = [
        {"op": "insert", "ids": [a, b], "slots": [61, 62], "name": "older"},
        {"op": "insert", "ids": [c, d], "slots": [71, 72], "name": "newer"},
        {"op": "match", "ids": [a, b], "name": "again"},
        {"op": "evict", "size": 1},
    ]
    play(submission, 1, [run])


@case(part="evict", points=3)
def test_evict_locked_prefix(submission: Any, rng: Rng) -> None:
    """A request holds the first half of a node. The other half goes, the first stays, and something newer goes."""
    a, b, c, d = (int(token) for token in rng.permutation(50)[:4])
    run: Run = [
        {"op": "insert", "ids": [a, b, c, d], "slots": [61, 62, 63, 64], "name": "whole"},
        {"op": "match", "ids": [a, b], "name": "half"},
        {"op": "lock", "name": "half"},
        {"op": "insert", "ids": [c, d], "slots": [71, 72], "name": "newer"},
        {"op": "evict", "size": 3},
    ]
    play(submission, 1, [run])


@case(part="evict", points=3)
def test_evict_the_whole_path_was_used(submission: Any, rng: Rng) -> None:
    """A match used a leaf and its parent; when the leaf is gone, the parent is still newer than another leaf."""
    a, b, c, d = (int(token) for token in rng.permutation(50)[:4])
    run: Run = [
        {"op": "insert", "ids": [a, b, c, d], "slots": [61, 62, 63, 64], "name": "whole"},
        {"op": "match", "ids": [a, b], "name": "half"},
        {"op": "insert", "ids": [c, d], "slots": [71, 72], "name": "other"},
        {"op": "match", "ids": [a, b, c, d], "name": "again"},
        {"op": "lock", "name": "other"},
        {"op": "evict", "size": 1},
        {"op": "unlock", "name": "other"},
        {"op": "evict", "size": 1},
        {"op": "evict", "size": 1},
    ]
    play(submission, 1, [run])


@case(part="evict", points=4)
@pytest.mark.parametrize("runs", [1, 2])
def test_evict_random(submission: Any, rng: Rng, runs: int) -> None:
    play(submission, 1, random_runs(rng, 1, 8 // runs, 18 * runs, ALL))


@case(part="evict", points=3)
def test_evict_one_long_run(submission: Any, rng: Rng) -> None:
    play(submission, 1, random_runs(rng, 1, 1, 100, ALL))


@case(part="evict", points=4)
def test_evict_split_of_a_locked_node(submission: Any, rng: Rng) -> None:
    """A locked node is split: both halves stay locked, and one unlock frees them both."""
    a, b, c, d = (int(token) for token in rng.permutation(50)[:4])
    run: Run = [
        {"op": "insert", "ids": [a, b, c, d], "slots": [61, 62, 63, 64], "name": "locked"},
        {"op": "lock", "name": "locked"},
        {"op": "match", "ids": [a, b, d, d], "name": "half"},
        {"op": "lock", "name": "half"},
        {"op": "evict", "size": 1},
        {"op": "unlock", "name": "locked"},
        {"op": "evict", "size": 1},
        {"op": "unlock", "name": "half"},
        {"op": "evict", "size": 2},
    ]
    play(submission, 1, [run])


@case(part="evict", points=3)
def test_evict_hands_over_copies(submission: Any, rng: Rng) -> None:
    play(submission, 1, random_runs(rng, 1, 8, 18, ALL), overwrite=True, because="keeps-callers-memory")


@case(part="pages", points=6)
@pytest.mark.parametrize("page_size", [2, 3])
def test_pages_random(submission: Any, rng: Rng, page_size: int) -> None:
    play(submission, page_size, random_runs(rng, page_size, 8, 18, ALL))


@case(part="pages", points=5)
def test_pages_first_token_in_common(submission: Any, rng: Rng) -> None:
    """Three prompts whose first pages differ in the last token alone: three children."""
    a, b = (int(token) for token in rng.permutation(50)[:2])
    size = 5
    prompts = [[a] * (size - 1) + [last] + [b] * size for last in (a, b, 99)]
    run: Run = [
        {"op": "insert", "ids": ids, "slots": list(range(70 + 20 * i, 80 + 20 * i)), "name": f"p{i}"}
        for i, ids in enumerate(prompts)
    ]
    run += [{"op": "match", "ids": [*ids, 1], "name": f"m{i}"} for i, ids in enumerate(prompts)]
    play(submission, size, [run])
