"""Cases whose inputs are drawn anew for each judgement, always from ``rng``: the seed alone repeats them."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from . import pages


@case(part="pages_needed", points=2)
def test_pages_random(submission: Any, rng: Rng) -> None:
    for page_size in (1, 2, 16, int(rng.integers(3, 12))):
        lens = rng.ints(0, 60, 12)
        pages.verify(submission.pages_needed(lens, page_size), lens, page_size)


@case(part="pages_needed", points=2)
def test_pages_full(submission: Any, rng: Rng) -> None:
    page_size = int(rng.integers(3, 9))
    lens = rng.ints(0, 8, 10) * page_size
    pages.verify(submission.pages_needed(lens, page_size), lens, page_size)


@case(part="pages_needed", points=1)
def test_pages_none(submission: Any, rng: Rng) -> None:
    """And one more request, lest handing the empty input back be right."""
    for count in (0, 5):
        lens = rng.ints(6, 60, count)
        pages.verify(submission.pages_needed(lens, 5), lens, 5)


@case(part="pages_needed", points=2)
def test_pages_keeps_its_input(submission: Any, rng: Rng) -> None:
    lens, page_size = rng.ints(5, 60, 7), int(rng.integers(3, 12))
    after = submission.harness.call_and_show_input(lens, page_size)
    pages.verify(after["out"], lens, page_size)
    check.tensor(after["lens"], like=lens, field="lens", mistake="input-changed")
