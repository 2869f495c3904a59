"""Cases that a learner sees in full: a batch of four kinds of requests, and the frequencies of one."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .sampling import DRAWS, Row, arguments, batch_of, right, shares, uniform, verify_all, verify_form

LOGITS = torch.tensor([0.5, 0.3, 0.1, 0.06, 0.04]).log()


@case(part="distribution", points=4)
def test_distribution_book(submission: Any, rng: Rng) -> None:
    """The statement's numbers in another order, with top-k, with top-p, and with both, at a temperature of 0.8."""
    logits = LOGITS[[2, 0, 3, 1, 4]]
    rows = [Row(logits, 0.8, 3, 0.9), Row(logits, 0.8, -1, 0.82), Row(logits, 0.8, 2, 1.0)]
    verify_all([(submission.sample_batch(*arguments(row, uniform(rng, DRAWS))), row) for row in rows])


@case(part="filter", points=5)
def test_filter_book(submission: Any, rng: Rng) -> None:
    """Four sets of parameters in one batch; what each row can draw at most."""
    rows = [Row(LOGITS, 0.0), Row(LOGITS, top_k=2), Row(LOGITS, top_p=0.6), Row(LOGITS, 1.0, 3, 0.55)]
    for u in (0.0, 0.3, 0.95):
        got = verify_form(submission.sample_batch(*batch_of(rows, torch.full((4,), u))), 4, 5)
        for row, token in zip(rows, got.tolist(), strict=True):
            allowed = bool(right(row)[token] > 0)
            mistake = "rows-mixed" if row.temperature > 0 else "greedy-sampled"
            check.that(allowed, mistake=mistake, field="tokens", got=token, want=shares(right(row)))
