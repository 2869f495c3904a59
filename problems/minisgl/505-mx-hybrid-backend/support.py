"""Given: the interface of an attention backend, as in the engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class BaseAttnBackend(ABC):
    """Prepare once per batch, forward once per layer; three hooks for CUDA graphs, which hold decode alone."""

    @abstractmethod
    def forward(self, q: Any, k: Any, v: Any, layer_id: int, batch: Any) -> Any:
        """The attention of one layer."""

    @abstractmethod
    def prepare_metadata(self, batch: Any) -> None:
        """Sets ``batch.attn_metadata``."""

    @abstractmethod
    def init_capture_graph(self, max_seq_len: int, bs_list: list[int]) -> None:
        """Allocates the fixed buffers."""

    @abstractmethod
    def prepare_for_capture(self, batch: Any) -> None:
        """Points the batch's metadata at the buffers."""

    @abstractmethod
    def prepare_for_replay(self, batch: Any) -> None:
        """Copies the batch's metadata into the buffers."""
