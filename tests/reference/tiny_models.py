"""Small random models of Hugging Face transformers, and what they generate greedily."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
    Qwen3MoeConfig,
    Qwen3MoeForCausalLM,
)

VOCAB = 128
SIZES: dict[str, Any] = {
    "hidden_size": 48,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": VOCAB,
    "max_position_embeddings": 64,
    "rms_norm_eps": 1e-6,
    "attn_implementation": "eager",
}
EXPERTS = {"num_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 24}
FAMILIES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "qwen3": (Qwen3ForCausalLM, Qwen3Config, {"head_dim": 16, "tie_word_embeddings": True}),
    "llama": (LlamaForCausalLM, LlamaConfig, {"tie_word_embeddings": False}),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config, {"tie_word_embeddings": True}),
    "qwen3_moe": (Qwen3MoeForCausalLM, Qwen3MoeConfig, EXPERTS | {"head_dim": 16, "norm_topk_prob": True}),
}


def tiny_model(family: str) -> Any:
    """A model whose weights make different tokens likely after different prompts."""
    torch.manual_seed(0)
    model_class, config_class, extra = FAMILIES[family]
    model = model_class(config_class(**SIZES, **extra)).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(torch.randn_like(weight) * (0.3 if weight.dim() == 1 else 0.2) + ("norm" in name))
    return model


def checkpoint_of(model: Any) -> dict[str, torch.Tensor]:
    """Its weights as a checkpoint's files name them: transformers keeps experts stacked, files do not."""
    named: dict[str, torch.Tensor] = {}
    for name, value in model.state_dict().items():
        experts, _, projection = name.partition(".experts.")
        if not projection:
            named[name] = value
            continue
        for i, expert in enumerate(value):
            parts = expert.chunk(2) if projection == "gate_up_proj" else (expert,)
            names = ("gate_proj", "up_proj") if projection == "gate_up_proj" else (projection,)
            named |= {f"{experts}.experts.{i}.{n}.weight": w for n, w in zip(names, parts, strict=True)}
    return named


def their_tokens(model: Any, prompt: Sequence[int], count: int, eos: int | None = None) -> list[int]:
    """What transformers generates greedily after a prompt: count tokens, or fewer that end with eos."""
    with torch.inference_mode():
        ids = torch.tensor([list(prompt)])
        options = {"max_new_tokens": count, "do_sample": False, "eos_token_id": eos, "pad_token_id": 0}
        out = model.generate(ids, attention_mask=torch.ones_like(ids), **options)
    return list(out[0, len(prompt) :].tolist())
