"""The reference solution. Mutations are made of this file, so it should hold nothing that no case can see."""

from __future__ import annotations

import torch


def pages_needed(lens: torch.Tensor, page_size: int) -> torch.Tensor:
    """int32 [n]: the lengths divided by the page size, rounded up."""
    return (lens + page_size - 1) // page_size
