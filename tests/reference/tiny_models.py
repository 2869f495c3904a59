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
FAMILIES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "qwen3": (Qwen3ForCausalLM, Qwen3Config, {"head_dim": 16, "tie_word_embeddings": True}),
    "llama": (LlamaForCausalLM, LlamaConfig, {"tie_word_embeddings": False}),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config, {"tie_word_embeddings": True}),
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


def their_tokens(model: Any, prompt: Sequence[int], count: int, eos: int | None = None) -> list[int]:
    """What transformers generates greedily after a prompt: count tokens, or fewer that end with eos."""
    with torch.inference_mode():
        ids = torch.tensor([list(prompt)])
        options = {"max_new_tokens": count, "do_sample": False, "eos_token_id": eos, "pad_token_id": 0}
        out = model.generate(ids, attention_mask=torch.ones_like(ids), **options)
    return list(out[0, len(prompt) :].tolist())
