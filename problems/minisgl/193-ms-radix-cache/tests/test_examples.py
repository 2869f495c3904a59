"""Cases that a learner sees in full: the statement's tree, locks on it, and pages of 2."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng
from judge.grading.stateful import Run

from .playing import play

TREE_OF_THREE: Run = [
    {"op": "insert", "ids": [1, 2, 3, 4, 5], "slots": [10, 11, 12, 13, 14], "name": "a"},
    {"op": "insert", "ids": [1, 2, 3, 7, 8], "slots": [20, 21, 22, 23, 24], "name": "b"},
    {"op": "match", "ids": [1, 2, 9], "name": "c"},
]


@case(part="compare", points=2)
def test_compare_examples(submission: Any, rng: Rng) -> None:
    for a, b, want in [([1, 2, 3], [1, 2, 4, 5], 2), ([1, 2], [1, 2, 3], 2), ([7], [8], 0), ([], [1], 0)]:
        got = submission.common_len(*(torch.tensor(ids, dtype=torch.int32) for ids in (a, b)))
        check.equal(got, want, field="common_len", mistake="compare-wrong")


@case(part="tree", points=5)
def test_tree_book(submission: Any, rng: Rng) -> None:
    """The statement's tree: two splits, and a prefix that was cached before keeps its slots."""
    play(submission, 1, [[*TREE_OF_THREE, {"op": "indices", "name": "a"}, {"op": "indices", "name": "b"}]])


@case(part="evict", points=5)
def test_evict_book(submission: Any, rng: Rng) -> None:
    """One request is still running, so that only the other's leaf can go; then all can."""
    rest: Run = [
        {"op": "lock", "name": "a"},
        {"op": "evict", "size": 3},
        {"op": "evict", "size": 1},
        {"op": "unlock", "name": "a"},
        {"op": "evict", "size": 3},
    ]
    play(submission, 1, [TREE_OF_THREE + rest])


@case(part="pages", points=3)
def test_pages_book(submission: Any, rng: Rng) -> None:
    """Pages of 2: five tokens are two pages, and prompts that differ within a page do not share it."""
    run: Run = [
        {"op": "insert", "ids": [1, 2, 3, 4, 5], "slots": [10, 11, 12, 13, 14], "name": "a"},
        {"op": "match", "ids": [1, 2, 3, 9], "name": "b"},
        {"op": "insert", "ids": [1, 3, 3, 4], "slots": [20, 21, 22, 23], "name": "c"},
        {"op": "match", "ids": [1, 2, 3, 4, 5, 6], "name": "d"},
    ]
    play(submission, 2, [run])
