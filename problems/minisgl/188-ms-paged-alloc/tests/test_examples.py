"""Cases that a learner sees in full: one for each part, and the statement's own example."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .playing import config_of, count, play


@case(part="count", points=4)
def test_count_examples(submission: Any, rng: Rng) -> None:
    """Pages of 4: from nothing, within the last page, over its edge, over two edges."""
    count(submission, [(0, 6), (6, 8), (6, 9), (8, 9), (3, 13)], 4)


@case(part="allocate", points=6)
def test_allocate_book(submission: Any, rng: Rng) -> None:
    """The statement's example: two requests, pages of 4, growth within a page and over its edge."""
    run = [
        {"op": "allocate", "reqs": [[2, 0, 6], [0, 0, 3]]},
        {"op": "out_loc", "reqs": [[2, 0, 6], [0, 0, 3]]},
        {"op": "allocate", "reqs": [[2, 6, 7], [0, 3, 5]]},
        {"op": "out_loc", "reqs": [[2, 6, 7], [0, 3, 5]]},
        {"op": "allocate", "reqs": [[1, 0, 9]]},
        {"op": "free", "row": 2, "start": 0, "end": 7},
        {"op": "allocate", "reqs": [[1, 0, 9]]},
    ]
    play(submission, config_of(6, 4, 3, 12), [run])


@case(part="lazy", points=4)
def test_lazy_book(submission: Any, rng: Rng) -> None:
    """Two of three pages are freed inside a region: they can be allocated after it, not before."""
    run = [
        {"op": "allocate", "reqs": [[0, 0, 10], [1, 0, 2]]},
        {"op": "enter"},
        {"op": "free", "row": 0, "start": 0, "end": 10},
        {"op": "allocate", "reqs": [[2, 0, 10]]},
        {"op": "leave"},
        {"op": "allocate", "reqs": [[2, 0, 10]]},
    ]
    play(submission, config_of(3, 5, 3, 12), [run])
