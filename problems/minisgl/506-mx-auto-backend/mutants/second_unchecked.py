# expects: second-unchecked
"""Only the first name is checked."""

from __future__ import annotations

import torch

NAMES = ("torch", "fi", "fa")
KERNEL_DTYPES = (torch.float16, torch.bfloat16)


def pick_backend(capability: tuple[int, int] | None, dtype: torch.dtype) -> str:
    """What "auto" means for a GPU of this compute capability, or for the CPU (None)."""
    if capability is None or dtype not in KERNEL_DTYPES:
        return "torch"
    return "fa,fi" if capability[0] == 9 else "fi"


def resolve_backend(backend: str, capability: tuple[int, int] | None, dtype: torch.dtype) -> str:
    """The name or pair to create for what the user asked for; ValueError for what there is not."""
    if backend == "auto":
        return pick_backend(capability, dtype)
    names = backend.split(",", 1)
    for name in names[:1]:
        if name not in NAMES:
            raise ValueError(f"unknown attention backend {name!r}; choose from auto, {', '.join(NAMES)}")
    if dtype not in KERNEL_DTYPES:
        return "torch"
    return ",".join(dict.fromkeys(names))  # a pair of equal names is one
