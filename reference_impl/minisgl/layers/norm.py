"""RMSNorm, alone and together with the residual connection before it."""

from __future__ import annotations

import torch

from minisgl.kernel import fused_add_rmsnorm, rmsnorm
from minisgl.layers.base import BaseOP


class RMSNorm(BaseOP):
    """Normalises the last dimension, of the given size."""

    def __init__(self, size: int, eps: float) -> None:
        self.weight = torch.empty(size)
        self._eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[..., size] gives a new [..., size]."""
        return rmsnorm(x, self.weight, self._eps)


class RMSNormFused(RMSNorm):
    """RMSNorm of x + residual; the sum is the next residual."""

    def forward_fused(
        self, x: torch.Tensor, residual: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(normalised, residual), in the storage of x and residual; with no residual yet, x becomes it."""
        if residual is None:
            return self.forward(x), x
        fused_add_rmsnorm(x, residual, self.weight, self._eps)
        return x, residual
