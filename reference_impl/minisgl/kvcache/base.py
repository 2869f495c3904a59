"""The interfaces of a KV pool and of a prefix cache, which remembers what its slots hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

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


class SizeInfo(NamedTuple):
    """Cached tokens: those that may be evicted, and those that running requests hold."""

    evictable_size: int
    protected_size: int


@dataclass(frozen=True, eq=False)
class CacheHandle:
    """What a match lends: the first cached_len tokens lie in the slots matched_indices."""

    cached_len: int
    matched_indices: torch.Tensor  # int32 [cached_len]


class BasePrefixCache(ABC):
    """From token ids to the slots that hold their K and V already."""

    @abstractmethod
    def match_prefix(self, input_ids: torch.Tensor) -> CacheHandle:
        """The longest cached prefix of input_ids [n]; not locked, so it may be evicted."""

    @abstractmethod
    def insert_prefix(self, input_ids: torch.Tensor, indices: torch.Tensor) -> tuple[int, CacheHandle]:
        """Keeps the slots indices [n] of input_ids [n]; returns how many were cached before, and a handle."""

    @abstractmethod
    def lock_handle(self, handle: CacheHandle, unlock: bool = False) -> None:
        """Protects the handle's slots from eviction, or ends that."""

    @abstractmethod
    def evict(self, size: int) -> torch.Tensor:
        """Forgets at least size tokens and returns their slots; MemoryError if they are not evictable."""

    @property
    @abstractmethod
    def size_info(self) -> SizeInfo:
        """How much is cached."""
