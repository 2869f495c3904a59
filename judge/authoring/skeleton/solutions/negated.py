"""Another right way: two of them show that the cases accept more than one style."""

from __future__ import annotations

import torch


def pages_needed(lens: torch.Tensor, page_size: int) -> torch.Tensor:
    """Rounding down a negative number is rounding up its positive."""
    return -(-lens // page_size)
