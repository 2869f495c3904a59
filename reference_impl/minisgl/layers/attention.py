"""From the joint projection to attended values: split, norm, RoPE, backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from minisgl.core import get_global_ctx
from minisgl.distributed import get_tp_info
from minisgl.layers.base import BaseOP
from minisgl.layers.norm import RMSNorm
from minisgl.layers.rotary import RotaryEmbedding
from minisgl.utils import div_even

if TYPE_CHECKING:
    from minisgl.models.config import ModelConfig


class AttentionLayer(BaseOP):
    """Has no weight: the norms of q and k, if any, belong to the caller."""

    def __init__(
        self, config: ModelConfig, layer_id: int, q_norm: RMSNorm | None, k_norm: RMSNorm | None
    ) -> None:
        size = get_tp_info().size
        self._layer_id, self._head_dim = layer_id, config.head_dim
        self._num_qo = div_even(config.num_qo_heads, size)
        self._num_kv = div_even(config.num_kv_heads, size, allow_replicate=True)
        self._q_norm, self._k_norm = q_norm, k_norm
        self._rotary = RotaryEmbedding(config.rotary_config)

    def forward(self, qkv: torch.Tensor) -> torch.Tensor:
        """[T, (Hq + 2 Hkv) D] gives [T, Hq D]; q and k of it are overwritten."""
        ctx = get_global_ctx()
        heads = qkv.view(len(qkv), -1, self._head_dim)
        q, k, v = torch.split(heads, [self._num_qo, self._num_kv, self._num_kv], dim=1)
        if self._q_norm is not None:
            q = self._q_norm.forward(q)
        if self._k_norm is not None:
            k = self._k_norm.forward(k)
        self._rotary.forward(ctx.batch.positions, q, k)
        return ctx.attn_backend.forward(q, k, v, self._layer_id, ctx.batch).flatten(1)
