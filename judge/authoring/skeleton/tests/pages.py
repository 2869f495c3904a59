"""What the cases share: the right answer by definition, wrong ones that have a name, and the check."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import check


def expected(lens: torch.Tensor, page_size: int) -> torch.Tensor:
    """By definition rather than by the solution's formula: pages are added until they suffice."""
    pages = torch.zeros_like(lens)
    while bool((short := pages * page_size < lens).any()):
        pages = pages + short.int()
    return pages


def verify(got: Any, lens: torch.Tensor, page_size: int) -> None:
    """``got`` is right for ``lens``. A wrong value that is known by name brings that name's advice."""
    known = {
        "rounded-down": lambda: lens // page_size,
        "one-too-many": lambda: lens // page_size + 1,
    }
    want = expected(lens, page_size)
    check.tensor(got, like=want, field="pages", mistake="values", dtype="dtype", known=known)
