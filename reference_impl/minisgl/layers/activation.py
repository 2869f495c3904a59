"""The gate of the MLP."""

from __future__ import annotations

import torch

from minisgl.kernel import silu_and_mul
from minisgl.layers.base import BaseOP


class SiluAndMul(BaseOP):
    """[T, 2n] (gate, up) gives silu(gate) * up [T, n]."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Applies it."""
        return silu_and_mul(x)
