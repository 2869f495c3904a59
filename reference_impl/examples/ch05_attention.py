"""第 5 章：一个混合 batch 的注意力元数据，以及参考后端与不分页的完整因果注意力的对比。

Chapter 5: the metadata of one mixed batch, and the torch backend against plain causal attention.
A prefills 6 tokens; B has 4 tokens cached and computes 3; C has 8 cached and decodes 1.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # minisgl, from any working directory

from minisgl.attention.torch_backend import TorchAttnBackend, TorchAttnMetadata
from minisgl.core import Batch, Context, Req, SamplingParams, set_global_ctx
from minisgl.distributed import set_tp_info
from minisgl.kvcache.mha_pool import MHAKVCache
from minisgl.models import ModelConfig
from minisgl.utils import cached_load_hf_config

LENGTHS, CACHED = (6, 7, 9), (0, 4, 8)
SLOTS = (range(6), (40, 41, 42, 43, 20, 21, 22), range(50, 59))  # B's first four come from a prefix cache


def build_context(config: ModelConfig) -> Context:
    """A pool of 64 slots for one layer, and a page table with the three requests' slots."""
    ctx = Context(page_size=1)
    ctx.kv_cache = MHAKVCache(
        config.num_kv_heads,
        num_layers=1,
        head_dim=config.head_dim,
        num_pages=64,
        page_size=1,
        dtype=torch.float32,
        device=torch.device("cpu"),
    )
    ctx.page_table = torch.zeros((3, 16), dtype=torch.int32)
    for row, slots in zip(ctx.page_table, SLOTS, strict=True):
        row[: len(slots)] = torch.tensor(slots)
    return ctx


def build_batch(ctx: Context) -> Batch:
    """The three requests, with the slots that their new tokens go to."""
    lengths = list(zip(LENGTHS, CACHED, strict=True))
    reqs = [
        Req(torch.zeros(n, dtype=torch.int32), i, c, 4, i, SamplingParams(), None)
        for i, (n, c) in enumerate(lengths)
    ]
    batch = Batch(reqs, phase="prefill")
    batch.out_loc = torch.cat([ctx.page_table[i, c:n] for i, (n, c) in enumerate(lengths)])
    return batch


def dense(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Causal attention of one whole sequence, without pages: [n, H, D] each."""
    q, k, v = (x.transpose(0, 1) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True).transpose(0, 1)


def main() -> None:
    """Prints the metadata, then the largest difference."""
    set_tp_info(0, 1)
    config = ModelConfig.from_hf(cached_load_hf_config("models/Qwen3-0.6B"))
    ctx = build_context(config)
    set_global_ctx(ctx)
    backend, batch = TorchAttnBackend(config), build_batch(ctx)

    torch.manual_seed(0)
    heads = (config.num_qo_heads, config.num_kv_heads, config.num_kv_heads)
    qkv = [[torch.randn(n, h, config.head_dim) for h in heads] for n in LENGTHS]
    for row, (_, k, v), c in zip(ctx.page_table, qkv, CACHED, strict=True):
        ctx.kv_cache.store_kv(k[:c], v[:c], row[:c], layer_id=0)

    backend.prepare_metadata(batch)
    metadata = batch.attn_metadata
    assert isinstance(metadata, TorchAttnMetadata)
    print("cu_seqlens_q :", metadata.cu_seqlens_q.tolist(), " (每个请求本轮的 query 起止)")
    print("cache_seqlens:", metadata.cache_seqlens.tolist(), "  (每个请求的 KV 总长)")
    print("page_table   :", metadata.page_table.tolist())
    print("out_loc      :", batch.out_loc.tolist())
    print("最后位置下标 :", metadata.get_last_indices(3).tolist())

    new_q, new_k, new_v = (
        torch.cat([x[c:] for x, c in zip(xs, CACHED, strict=True)]) for xs in zip(*qkv, strict=True)
    )
    out = backend.forward(new_q, new_k, new_v, layer_id=0, batch=batch)
    want = torch.cat([dense(*one)[c:] for one, c in zip(qkv, CACHED, strict=True)])
    print("与完整因果注意力的最大误差:", (out - want).abs().max().item())


if __name__ == "__main__":
    main()
