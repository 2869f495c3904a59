"""Models by the model_type of their configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from minisgl.utils import Registry

if TYPE_CHECKING:
    from minisgl.models.base import BaseLLMModel
    from minisgl.models.config import ModelConfig

MODELS: Registry[Callable[[ModelConfig], BaseLLMModel]] = Registry("model type")
