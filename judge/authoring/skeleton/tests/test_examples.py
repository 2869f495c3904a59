"""Cases that a learner sees in full, with inputs and expected values. Fixed numbers are best here."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case

from . import pages


@case(part="pages_needed", points=1)
def test_pages_drawn(submission: Any) -> None:
    lens = torch.tensor([1, 4, 5, 9], dtype=torch.int32)
    pages.verify(submission.pages_needed(lens, 4), lens, 4)
