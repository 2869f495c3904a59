"""The interface of an attention backend: prepare once per batch, forward once per layer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from minisgl.core import Batch


class BaseAttnMetadata(ABC):
    """What a backend's kernels need to know of a batch; the same for every layer."""

    @abstractmethod
    def get_last_indices(self, bs: int) -> torch.Tensor:
        """int32 [bs]: where each of the first bs requests has its last query in the flat q."""


class BaseAttnBackend(ABC):
    """Attention over the paged pool for requests of any length. T: new tokens of the padded batch."""

    @abstractmethod
    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, layer_id: int, batch: Batch
    ) -> torch.Tensor:
        """Stores k and v [T, Hkv, D] in the pool, then attends: q [T, Hq, D] gives [T, Hq, D]."""

    @abstractmethod
    def prepare_metadata(self, batch: Batch) -> None:
        """Sets batch.attn_metadata from batch.padded_reqs and the page table."""

    # CUDA graphs: a captured decode reads fixed buffers, which a replay fills first.

    @abstractmethod
    def init_capture_graph(self, max_seq_len: int, bs_list: list[int]) -> None:
        """Allocates the buffers, for batches of the sizes in bs_list and KV of up to max_seq_len."""

    @abstractmethod
    def prepare_for_capture(self, batch: Batch) -> None:
        """Sets batch.attn_metadata to views of the buffers; batch.size is one of bs_list."""

    @abstractmethod
    def prepare_for_replay(self, batch: Batch) -> None:
        """Copies the prepared batch.attn_metadata into the buffers."""


class HybridBackend(BaseAttnBackend):
    """One backend for prefill, another for decode; the phase decides, not the lengths."""

    def __init__(self, prefill_backend: BaseAttnBackend, decode_backend: BaseAttnBackend) -> None:
        self.prefill_backend = prefill_backend
        self.decode_backend = decode_backend

    def _of(self, batch: Batch) -> BaseAttnBackend:
        return self.prefill_backend if batch.is_prefill else self.decode_backend

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, layer_id: int, batch: Batch
    ) -> torch.Tensor:
        return self._of(batch).forward(q, k, v, layer_id, batch)

    def prepare_metadata(self, batch: Batch) -> None:
        self._of(batch).prepare_metadata(batch)

    # only decode is ever captured

    def init_capture_graph(self, max_seq_len: int, bs_list: list[int]) -> None:
        self.decode_backend.init_capture_graph(max_seq_len, bs_list)

    def prepare_for_capture(self, batch: Batch) -> None:
        self.decode_backend.prepare_for_capture(batch)

    def prepare_for_replay(self, batch: Batch) -> None:
        self.decode_backend.prepare_for_replay(batch)
