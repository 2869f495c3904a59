"""Context managers around torch's global state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def torch_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Makes dtype the default of new floating-point tensors, and restores the old one."""
    old = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(old)
