"""The decoder: Qwen3, and its relatives that differ by biases, norms of q and k, or experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from minisgl.core import get_global_ctx
from minisgl.layers import BaseOP, OPList, ParallelLMHead, RMSNormFused, VocabParallelEmbedding
from minisgl.models.base import BaseLLMModel
from minisgl.models.register import MODELS
from minisgl.models.utils import GatedMLP, MoEMLP, SelfAttention

if TYPE_CHECKING:
    from minisgl.models.config import ModelConfig


class DecoderLayer(BaseOP):
    """Attention and MLP, each after a norm; the residual travels beside x and is added by the next norm."""

    def __init__(self, config: ModelConfig, layer_id: int) -> None:
        self.self_attn = SelfAttention(config, layer_id)
        self.mlp = MoEMLP(config) if config.is_moe else GatedMLP(config)
        self.input_layernorm = RMSNormFused(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = RMSNormFused(config.hidden_size, config.rms_norm_eps)

    def forward(self, x: torch.Tensor, residual: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
        """x and residual [T, hidden] give the next x and residual."""
        x, residual = self.input_layernorm.forward_fused(x, residual)
        x = self.self_attn.forward(x)
        x, residual = self.post_attention_layernorm.forward_fused(x, residual)
        return self.mlp.forward(x), residual


class Decoder(BaseOP):
    """Embedding, layers, last norm."""

    def __init__(self, config: ModelConfig) -> None:
        self.embed_tokens = VocabParallelEmbedding(config.vocab_size, config.hidden_size)
        self.layers = OPList([DecoderLayer(config, i) for i in range(config.num_layers)])
        self.norm = RMSNormFused(config.hidden_size, config.rms_norm_eps)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """int32 [T] gives [T, hidden]."""
        x, residual = self.embed_tokens.forward(ids), None
        for layer in self.layers:
            x, residual = layer.forward(x, residual)
        return self.norm.forward_fused(x, residual)[0]


@MODELS.register("qwen3_moe")
@MODELS.register("llama")
@MODELS.register("qwen2")
@MODELS.register("qwen3")
class DecoderForCausalLM(BaseLLMModel):
    """The whole model; its weights have the names of Hugging Face's, with qkv and gate_up merged."""

    def __init__(self, config: ModelConfig) -> None:
        self.model = Decoder(config)
        self.lm_head = ParallelLMHead(
            config.vocab_size,
            config.hidden_size,
            tied_to=self.model.embed_tokens if config.tie_word_embeddings else None,
        )

    def forward(self) -> torch.Tensor:
        return self.lm_head.forward(self.model.forward(get_global_ctx().batch.input_ids))
