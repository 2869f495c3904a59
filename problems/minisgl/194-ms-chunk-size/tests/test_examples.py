"""Cases that a learner sees in full: the statement's prompt."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .rounds import choose_all, simulate_all


@case(part="simulate", points=8)
def test_simulate_book(submission: Any, rng: Rng) -> None:
    simulate_all(submission, [[1000, C, 20, 5000, 50] for C in (400, 1000)])


@case(part="best", points=8)
def test_best_book(submission: Any, rng: Rng) -> None:
    candidates = [128, 256, 400, 512, 1000]
    choose_all(submission, [[1000, 20, 5000, 50, slo, candidates] for slo in (31_000, 40_000, 5000)])
