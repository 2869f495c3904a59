"""The numbers that describe a decoder-only model, taken from a Hugging Face configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RotaryConfig:
    """Rotary position embedding: rotary_dim of head_dim elements turn, with frequencies base ** (-2i/d)."""

    head_dim: int
    rotary_dim: int
    max_position: int
    base: float
    scaling: dict[str, Any] | None  # None for plain RoPE


@dataclass(frozen=True)
class ModelConfig:
    """Sizes before any split among ranks."""

    model_type: str
    num_layers: int
    num_qo_heads: int
    num_kv_heads: int
    head_dim: int
    hidden_size: int
    vocab_size: int
    intermediate_size: int
    rms_norm_eps: float
    hidden_act: str
    tie_word_embeddings: bool
    attention_bias: bool  # of the q, k and v projections
    use_qk_norm: bool
    rotary_config: RotaryConfig
    # a mixture of experts; no experts in a dense model
    num_experts: int = 0
    num_experts_per_tok: int = 0
    moe_intermediate_size: int = 0  # of one expert
    norm_topk_prob: bool = False  # whether the weights of a token's experts are made to sum to 1

    @property
    def is_moe(self) -> bool:
        """Whether the MLPs are experts."""
        return self.num_experts > 0

    @classmethod
    def from_hf(cls, config: Any) -> ModelConfig:
        """Reads the attributes of a Hugging Face configuration; AttributeError if a needed one is missing."""
        kind = config.model_type
        num_heads = config.num_attention_heads
        # head_dim is a field of its own in Qwen3 (16 x 128 != 1024); older models imply it
        head_dim = getattr(config, "head_dim", None) or config.hidden_size // num_heads
        return cls(
            model_type=kind,
            num_layers=config.num_hidden_layers,
            num_qo_heads=num_heads,
            num_kv_heads=getattr(config, "num_key_value_heads", None) or num_heads,
            head_dim=head_dim,
            hidden_size=config.hidden_size,
            vocab_size=config.vocab_size,
            intermediate_size=config.intermediate_size,
            rms_norm_eps=config.rms_norm_eps,
            hidden_act=config.hidden_act,
            tie_word_embeddings=bool(getattr(config, "tie_word_embeddings", False)),
            # Qwen2 has these biases without a field that says so
            attention_bias=bool(getattr(config, "attention_bias", kind == "qwen2")),
            use_qk_norm=kind.startswith("qwen3"),
            rotary_config=_rotary_config(config, head_dim),
            **(_moe_fields(config) if getattr(config, "num_experts", None) else {}),
        )


def _moe_fields(config: Any) -> dict[str, Any]:
    """ValueError where only some of the layers have experts."""
    if getattr(config, "decoder_sparse_step", 1) != 1 or getattr(config, "mlp_only_layers", None):
        raise ValueError("models with both dense and expert layers are not supported")
    names = ("num_experts", "num_experts_per_tok", "moe_intermediate_size")
    fields: dict[str, Any] = {name: getattr(config, name) for name in names}
    return fields | {"norm_topk_prob": bool(getattr(config, "norm_topk_prob", False))}


def _rotary_config(config: Any, head_dim: int) -> RotaryConfig:
    """Both layouts: rope_theta beside rope_scaling, or one rope_parameters with everything."""
    rope = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    kind = rope.get("rope_type", rope.get("type", "default"))
    base = rope.get("rope_theta")
    if base is None:
        base = config.rope_theta
    return RotaryConfig(
        head_dim=head_dim,
        rotary_dim=head_dim,
        max_position=config.max_position_embeddings,
        base=float(base),
        scaling=None if kind == "default" else dict(rope),
    )
