"""A layer of experts, each split among the ranks like a dense MLP."""

from __future__ import annotations

import torch

from minisgl.distributed import all_reduce, get_tp_info
from minisgl.layers.base import BaseOP
from minisgl.moe import fused_moe, select_experts
from minisgl.utils import div_even


class MoELayer(BaseOP):
    """Each token passes through top_k of num_experts gated MLPs, weighted by the router."""

    def __init__(
        self, num_experts: int, top_k: int, hidden_size: int, intermediate_size: int, renormalise: bool
    ) -> None:
        inner = div_even(intermediate_size, get_tp_info().size)
        self.gate_up_proj = torch.empty(num_experts, 2 * inner, hidden_size)
        self.down_proj = torch.empty(num_experts, hidden_size, inner)
        self._top_k, self._renormalise = top_k, renormalise

    def forward(self, x: torch.Tensor, router_logits: torch.Tensor) -> torch.Tensor:
        """x [T, hidden], router_logits [T, experts], the same on every rank, give [T, hidden]."""
        weights, ids = select_experts(router_logits, self._top_k, self._renormalise)
        return all_reduce(fused_moe(x, self.gate_up_proj, self.down_proj, weights, ids))
