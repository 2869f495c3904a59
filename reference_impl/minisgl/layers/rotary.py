"""Rotary position embedding; all layers share one table."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import torch

from minisgl.kernel import apply_rope_inplace
from minisgl.layers.base import BaseOP

if TYPE_CHECKING:
    from minisgl.models.config import RotaryConfig


@lru_cache(maxsize=4)
def cos_sin_table(rotary_dim: int, max_position: int, base: float, device: torch.device) -> torch.Tensor:
    """float32 [max_position, rotary_dim]: cos | sin of position * base ** (-2i / rotary_dim)."""
    exponents = torch.arange(0, rotary_dim, 2, dtype=torch.float32, device=device) / rotary_dim
    positions = torch.arange(max_position, dtype=torch.float32, device=device)
    angles = torch.outer(positions, 1.0 / base**exponents)
    return torch.cat([angles.cos(), angles.sin()], dim=1)


class RotaryEmbedding(BaseOP):
    """Holds no weight: the table is made on the device of the first positions that come."""

    def __init__(self, config: RotaryConfig) -> None:
        if config.scaling is not None:
            raise ValueError(f"RoPE scaling is not supported yet: {config.scaling}")
        self._config = config

    def forward(self, positions: torch.Tensor, q: torch.Tensor, k: torch.Tensor) -> None:
        """Turns q and k [T, H, head_dim] in place, by positions int32 [T]."""
        config = self._config
        table = cos_sin_table(config.rotary_dim, config.max_position, config.base, positions.device)
        apply_rope_inplace(positions, q, k, table)
