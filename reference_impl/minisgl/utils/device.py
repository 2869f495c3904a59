"""What the accelerator can do."""

from __future__ import annotations

import torch


def device_capability(device: torch.device) -> tuple[int, int] | None:
    """(major, minor) of a CUDA device, as in SM90 = (9, 0); None for any other device."""
    return torch.cuda.get_device_capability(device) if device.type == "cuda" else None
