"""The interface of a KV pool: token slots in pages, one K and one V plane per layer."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch


class BaseKVCache(ABC):
    """A slot is page * page_size + offset and stands for one token in every layer."""

    @abstractmethod
    def k_cache(self, layer_id: int) -> torch.Tensor:
        """K of a layer: a view [num_pages, page_size, Hkv, D]."""

    @abstractmethod
    def v_cache(self, layer_id: int) -> torch.Tensor:
        """V of a layer: a view [num_pages, page_size, Hkv, D]."""

    @abstractmethod
    def store_kv(self, k: torch.Tensor, v: torch.Tensor, out_loc: torch.Tensor, layer_id: int) -> None:
        """Writes k and v [T, Hkv, D] to the slots out_loc [T]; IndexError for a slot outside the pool."""

    @property
    @abstractmethod
    def device(self) -> torch.device:
        """Where the pool lies."""

    @property
    @abstractmethod
    def dtype(self) -> torch.dtype:
        """What the pool holds."""

    @property
    @abstractmethod
    def num_layers(self) -> int:
        """How many layers it serves."""
