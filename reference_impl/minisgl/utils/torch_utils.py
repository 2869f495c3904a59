"""Torch's default dtype, and tensors on their way to the device."""

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


def to_device(host: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A host tensor on the device, without waiting for it."""
    if device.type == "cuda":
        host = host.pin_memory()  # only then the copy is asynchronous
    return host.to(device, non_blocking=True)
