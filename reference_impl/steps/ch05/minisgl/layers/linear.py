"""Linear layers split among ranks: by columns (outputs), then by rows (inputs), one all-reduce a pair."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F

from minisgl.distributed import all_reduce, get_tp_info
from minisgl.layers.base import BaseOP
from minisgl.utils import div_even


class _Linear(BaseOP):
    """y = x W^T + b with W [out, in], the shares of this rank."""

    def __init__(self, in_size: int, out_size: int, has_bias: bool) -> None:
        self.weight = torch.empty(out_size, in_size)
        self.bias = torch.empty(out_size) if has_bias else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[T, in] gives [T, out]."""
        return F.linear(x, self.weight, self.bias)


class LinearColParallelMerged(_Linear):
    """Several projections of one input in one product; each is split by its outputs."""

    def __init__(self, in_size: int, out_sizes: Sequence[int], has_bias: bool) -> None:
        size = get_tp_info().size
        super().__init__(in_size, sum(div_even(out, size) for out in out_sizes), has_bias)


class LinearQKVMerged(_Linear):
    """q, k and v in one product, split by heads; KV heads are copied where there are more ranks."""

    def __init__(
        self, hidden_size: int, head_dim: int, num_qo_heads: int, num_kv_heads: int, has_bias: bool
    ) -> None:
        size = get_tp_info().size
        kv_heads = div_even(num_kv_heads, size, allow_replicate=True)
        super().__init__(hidden_size, (div_even(num_qo_heads, size) + 2 * kv_heads) * head_dim, has_bias)


class LinearRowParallel(_Linear):
    """Split by its inputs: each rank computes a summand of the whole output."""

    def __init__(self, in_size: int, out_size: int, has_bias: bool) -> None:
        super().__init__(div_even(in_size, get_tp_info().size), out_size, has_bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[T, in / size] gives [T, out], the same on every rank."""
        y = all_reduce(F.linear(x, self.weight))
        return y if self.bias is None else y + self.bias  # once, not once a rank
