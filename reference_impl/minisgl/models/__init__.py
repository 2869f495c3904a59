"""Models: their configuration and, chapter by chapter, their layers."""

from minisgl.models.config import ModelConfig, RotaryConfig

__all__ = ["ModelConfig", "RotaryConfig"]
