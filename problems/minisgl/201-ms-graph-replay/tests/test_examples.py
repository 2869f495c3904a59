"""Cases that a learner sees in full: a runner for up to 9 requests."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .runners import new, play, sizes_up_to

THREE = [[11, 4, 5], [12, 7, 8], [13, 0, 1]]
TWO = [[21, 5, 6], [22, 8, 9]]


@case(part="sizes", points=5)
def test_sizes_up_to_20(submission: Any, rng: Rng) -> None:
    check.equal(submission.determine_graph_bs(20), sizes_up_to(20), field="sizes", mistake="sizes-wrong")


@case(part="capture", points=5)
def test_capture_book(submission: Any, rng: Rng) -> None:
    play(submission, [[new(9), {"op": "pad", "reqs": THREE}]])


@case(part="run", points=5)
def test_run_book(submission: Any, rng: Rng) -> None:
    """Three requests, two, and three again; the first result is looked at once more in the end."""
    play(submission, [[new(9), *({"op": "run", "reqs": reqs} for reqs in (THREE, TWO, THREE))]])
