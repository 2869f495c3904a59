"""The KV pool of multi-head and grouped-query attention: one buffer, allocated once."""

from __future__ import annotations

import torch

from minisgl.distributed import get_tp_info
from minisgl.kernel import store_cache
from minisgl.kvcache.base import BaseKVCache
from minisgl.utils import div_even


class MHAKVCache(BaseKVCache):
    """Holds this rank's share of the KV heads; memory is not cleared, so unowned slots hold anything."""

    def __init__(
        self,
        num_kv_heads: int,
        num_layers: int,
        head_dim: int,
        num_pages: int,
        page_size: int,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        # with more ranks than KV heads, neighbouring ranks hold copies of one head
        heads = div_even(num_kv_heads, get_tp_info().size, allow_replicate=True)
        shape = (2, num_layers, num_pages, page_size, heads, head_dim)
        self._k, self._v = torch.empty(shape, dtype=dtype, device=device).unbind(0)

    def k_cache(self, layer_id: int) -> torch.Tensor:
        return self._k[layer_id]

    def v_cache(self, layer_id: int) -> torch.Tensor:
        return self._v[layer_id]

    def store_kv(self, k: torch.Tensor, v: torch.Tensor, out_loc: torch.Tensor, layer_id: int) -> None:
        k_cache, v_cache = self.k_cache(layer_id).flatten(0, 1), self.v_cache(layer_id).flatten(0, 1)
        store_cache(k, v, k_cache, v_cache, out_loc)

    @property
    def device(self) -> torch.device:
        return self._k.device

    @property
    def dtype(self) -> torch.dtype:
        return self._k.dtype

    @property
    def num_layers(self) -> int:
        return self._k.shape[0]
