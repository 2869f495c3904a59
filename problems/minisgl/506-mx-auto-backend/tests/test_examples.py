"""Cases that a learner sees in full: the statement's table, and four choices."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case
from judge.grading.seeds import Rng

from .rules import PICK_KNOWN, RESOLVE_KNOWN, pick, resolve, verify


@case(part="pick", points=8, means={"TypeError": "cpu-has-no-capability"})
def test_pick_table(submission: Any, rng: Rng) -> None:
    inputs = [
        (None, torch.bfloat16),
        ((9, 0), torch.bfloat16),
        ((8, 0), torch.float16),
        ((10, 0), torch.bfloat16),
        ((9, 0), torch.float32),
        ((8, 0), torch.float64),
    ]
    verify(submission.pick_backend, inputs, pick, PICK_KNOWN, "pick_backend")


@case(part="resolve", points=8)
def test_resolve_table(submission: Any, rng: Rng) -> None:
    inputs = [
        ("auto", (9, 0), torch.bfloat16),
        ("fa", (9, 0), torch.bfloat16),
        ("fi,fi", (8, 0), torch.float16),
        ("fa,fi", (9, 0), torch.float32),
        ("fi", (8, 0), torch.float32),
        ("flash", (9, 0), torch.bfloat16),
    ]
    verify(submission.resolve_backend, inputs, resolve, RESOLVE_KNOWN, "resolve_backend")
