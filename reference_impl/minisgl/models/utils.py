"""The two halves of a decoder layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from minisgl.layers import (
    AttentionLayer,
    BaseOP,
    LinearColParallelMerged,
    LinearQKVMerged,
    LinearReplicated,
    LinearRowParallel,
    MoELayer,
    RMSNorm,
    SiluAndMul,
)

if TYPE_CHECKING:
    from minisgl.models.config import ModelConfig


class SelfAttention(BaseOP):
    """q, k, v projection, attention with RoPE (and a norm of q and k in Qwen3), output projection."""

    def __init__(self, config: ModelConfig, layer_id: int) -> None:
        hidden, head_dim, num_qo = config.hidden_size, config.head_dim, config.num_qo_heads
        self.qkv_proj = LinearQKVMerged(
            hidden, head_dim, num_qo, config.num_kv_heads, has_bias=config.attention_bias
        )
        self.q_norm = RMSNorm(head_dim, config.rms_norm_eps) if config.use_qk_norm else None
        self.k_norm = RMSNorm(head_dim, config.rms_norm_eps) if config.use_qk_norm else None
        self.o_proj = LinearRowParallel(num_qo * head_dim, hidden, has_bias=False)
        self._attn = AttentionLayer(config, layer_id, self.q_norm, self.k_norm)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[T, hidden] gives [T, hidden]."""
        return self.o_proj.forward(self._attn.forward(self.qkv_proj.forward(x)))


class GatedMLP(BaseOP):
    """down(silu(gate(x)) * up(x))."""

    def __init__(self, config: ModelConfig) -> None:
        if config.hidden_act != "silu":
            raise ValueError(f"hidden_act {config.hidden_act!r} is not supported; only 'silu' is")
        hidden, inner = config.hidden_size, config.intermediate_size
        self.gate_up_proj = LinearColParallelMerged(hidden, [inner, inner], has_bias=False)
        self.down_proj = LinearRowParallel(inner, hidden, has_bias=False)
        self._act = SiluAndMul()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[T, hidden] gives [T, hidden]."""
        return self.down_proj.forward(self._act.forward(self.gate_up_proj.forward(x)))


class MoEMLP(BaseOP):
    """A router, and the experts that it chooses among."""

    def __init__(self, config: ModelConfig) -> None:
        if config.hidden_act != "silu":
            raise ValueError(f"hidden_act {config.hidden_act!r} is not supported; only 'silu' is")
        self.gate = LinearReplicated(config.hidden_size, config.num_experts, has_bias=False)
        self.experts = MoELayer(
            config.num_experts,
            config.num_experts_per_tok,
            config.hidden_size,
            config.moe_intermediate_size,
            config.norm_topk_prob,
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[T, hidden] gives [T, hidden]."""
        return self.experts.forward(x, self.gate.forward(x))
