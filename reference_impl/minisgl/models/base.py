"""What an engine asks of a model."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch

from minisgl.layers import BaseOP


class BaseLLMModel(BaseOP, ABC):
    """A language model that reads its inputs from the context's current batch."""

    @abstractmethod
    def forward(self) -> torch.Tensor:
        """Logits [bs, vocab_size]: one row for each request of the batch (padded ones too in decode)."""
