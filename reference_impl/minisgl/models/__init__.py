"""Models: their configuration, their layers put together, and their weights."""

from __future__ import annotations

from minisgl.models.base import BaseLLMModel
from minisgl.models.config import ModelConfig, RotaryConfig
from minisgl.models.decoder import DecoderForCausalLM
from minisgl.models.register import MODELS
from minisgl.models.weight import load_weights


def create_model(config: ModelConfig) -> BaseLLMModel:
    """The model of config.model_type, with unset weights; KeyError lists the types there are."""
    return MODELS[config.model_type](config)


__all__ = [
    "MODELS",
    "BaseLLMModel",
    "DecoderForCausalLM",
    "ModelConfig",
    "RotaryConfig",
    "create_model",
    "load_weights",
]
