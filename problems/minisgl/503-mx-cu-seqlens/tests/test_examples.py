"""Cases that a learner sees in full: the batches of the statement."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case

from . import sums

BOOK = [(0, 6), (4, 7), (8, 9)]


@case(part="choose_path", points=2)
def test_path_statement(submission: Any) -> None:
    general = [[(4, 7), (3, 5)], [(4, 7), (8, 9), (3, 5)], BOOK]
    for reqs in (*general, [(6, 7), (4, 5), (8, 9)], [(0, 6), (0, 3)], [(0, 1), (0, 1)]):
        sums.verify_path(submission.choose_path(reqs), reqs)


@case(part="make_cu_seqlens", points=3)
def test_sums_book(submission: Any) -> None:
    sums.verify(submission.make_cu_seqlens(BOOK, "cpu"), BOOK)
