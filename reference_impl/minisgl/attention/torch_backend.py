"""The reference backend: plain PyTorch, slow and unambiguous, on the CPU as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from minisgl.attention.base import BaseAttnBackend, BaseAttnMetadata
from minisgl.attention.utils import CaptureBuffers, make_cu_seqlens, make_int32, pin
from minisgl.core import get_global_ctx

if TYPE_CHECKING:
    from minisgl.core import Batch
    from minisgl.models import ModelConfig


@dataclass
class TorchAttnMetadata(BaseAttnMetadata):
    """Same fields as FlashAttention's varlen call. bs counts padded requests."""

    cu_seqlens_q: torch.Tensor  # int32 [bs + 1]: request i has the queries [cu[i], cu[i + 1])
    cache_seqlens: torch.Tensor  # int32 [bs]: length of its KV, this step's tokens included
    page_table: torch.Tensor  # int32 [bs, width >= longest KV]: its slots; anything beyond its length
    max_seqlen_q: int

    def get_last_indices(self, bs: int) -> torch.Tensor:
        return self.cu_seqlens_q[1 : 1 + bs] - 1


class TorchAttnBackend(BaseAttnBackend):
    """Gathers each request's KV from the pool and calls scaled_dot_product_attention."""

    def __init__(self, config: ModelConfig) -> None:
        self.kvcache = get_global_ctx().kv_cache
        self.device = self.kvcache.device
        self.scale = config.head_dim**-0.5
        self.capture: CaptureBuffers | None = None
        self.capture_bs: list[int] = []

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, layer_id: int, batch: Batch
    ) -> torch.Tensor:
        metadata = batch.attn_metadata
        if not isinstance(metadata, TorchAttnMetadata):
            raise TypeError(f"metadata of another backend: {type(metadata).__name__}")
        # before the read: a query must see the key of its own token
        self.kvcache.store_kv(k, v, batch.out_loc, layer_id)
        k_pool = self.kvcache.k_cache(layer_id).flatten(0, 1)
        v_pool = self.kvcache.v_cache(layer_id).flatten(0, 1)
        one_query_each = metadata.max_seqlen_q == 1 and len(q) == len(metadata.cache_seqlens)
        attend = attend_decode if one_query_each else attend_varlen
        return attend(q, k_pool, v_pool, metadata, self.scale)

    def prepare_metadata(self, batch: Batch) -> None:
        reqs = batch.padded_reqs
        lens_q = [req.extend_len for req in reqs]
        lens_k = [req.device_len for req in reqs]
        use_pin = pin(self.device)
        rows = make_int32([req.table_idx for req in reqs], self.device, use_pin)
        batch.attn_metadata = TorchAttnMetadata(
            cu_seqlens_q=make_cu_seqlens(lens_q, self.device, use_pin),
            cache_seqlens=make_int32(lens_k, self.device, use_pin),
            page_table=get_global_ctx().page_table[:, : max(lens_k)].index_select(0, rows),
            max_seqlen_q=max(lens_q),
        )

    def init_capture_graph(self, max_seq_len: int, bs_list: list[int]) -> None:
        if self.capture is not None:
            raise RuntimeError("init_capture_graph was called before: captured graphs hold its buffers")
        self.capture = CaptureBuffers.create(max(bs_list), max_seq_len, self.device)
        self.capture_bs = sorted(bs_list)

    def prepare_for_capture(self, batch: Batch) -> None:
        buffers, bs = self._buffers(batch.size), batch.size
        batch.attn_metadata = TorchAttnMetadata(
            cu_seqlens_q=buffers.cu_seqlens_q[: bs + 1],
            cache_seqlens=buffers.seq_lens[:bs],
            page_table=buffers.page_table[:bs],
            max_seqlen_q=1,
        )

    def prepare_for_replay(self, batch: Batch) -> None:
        buffers, bs, metadata = self._buffers(batch.padded_size), batch.padded_size, batch.attn_metadata
        if not isinstance(metadata, TorchAttnMetadata) or metadata.max_seqlen_q != 1:
            raise ValueError("only a prepared decode batch can be replayed")
        buffers.seq_lens[:bs].copy_(metadata.cache_seqlens)
        buffers.page_table[:bs, : metadata.page_table.shape[1]].copy_(metadata.page_table)

    def _buffers(self, bs: int) -> CaptureBuffers:
        if self.capture is None or bs not in self.capture_bs:
            raise ValueError(f"no graph for {bs} requests; captured sizes: {self.capture_bs}")
        return self.capture


def attend_varlen(
    q: torch.Tensor, k_pool: torch.Tensor, v_pool: torch.Tensor, metadata: TorchAttnMetadata, scale: float
) -> torch.Tensor:
    """Causal attention, request by request: q [T, Hq, D], pools [slots, Hkv, D], result [T, Hq, D]."""
    out = torch.empty_like(q)
    bounds = metadata.cu_seqlens_q.tolist()
    for i, kv_len in enumerate(metadata.cache_seqlens.tolist()):
        mine = slice(bounds[i], bounds[i + 1])
        num_q = mine.stop - mine.start
        slots = metadata.page_table[i, :kv_len].long()
        # the queries are the last num_q positions, so the diagonal ends in the lower right corner
        visible = torch.ones(num_q, kv_len, dtype=torch.bool, device=q.device).tril(kv_len - num_q)
        qi, ki, vi = (x.transpose(0, 1) for x in (q[mine], k_pool[slots], v_pool[slots]))
        attended = F.scaled_dot_product_attention(qi, ki, vi, visible, scale=scale, enable_gqa=True)
        out[mine] = attended.transpose(0, 1)
    return out


def attend_decode(
    q: torch.Tensor, k_pool: torch.Tensor, v_pool: torch.Tensor, metadata: TorchAttnMetadata, scale: float
) -> torch.Tensor:
    """attend_varlen for one query a request (T == bs), in one call and without waiting for the device.

    All KV are padded to the width of the page table, which costs bs * width * Hkv * D elements.
    """
    table = metadata.page_table.long()
    in_use = torch.arange(table.shape[1], device=q.device) < metadata.cache_seqlens.unsqueeze(1)
    # Masking a score does not mask NaN (0 * NaN is NaN), and stale cells may name no slot at all:
    # padding reads the request's own first slot instead.
    slots = torch.where(in_use, table, table[:, :1])
    k, v = (pool[slots].transpose(1, 2) for pool in (k_pool, v_pool))  # [bs, Hkv, width, D]
    mask = in_use[:, None, None, :]
    out = F.scaled_dot_product_attention(q.unsqueeze(2), k, v, mask, scale=scale, enable_gqa=True)
    return out.squeeze(2)
