"""A stand-in for chapter 6's engine: pool, page table, context and attention backend, on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
import torch.nn.functional as F
from minisgl.attention import BaseAttnBackend, create_attention_backend
from minisgl.core import Batch, Context, Req, SamplingParams, reset_global_ctx, set_global_ctx
from minisgl.kvcache import MHAKVCache
from minisgl.models import ModelConfig
from minisgl.utils import cached_load_hf_config

QWEN3 = "models/Qwen3-0.6B"
CPU = torch.device("cpu")
WIDTH = 32  # columns of the page table


@dataclass
class SmallEngine:
    """What the tests reach of an engine."""

    config: ModelConfig
    kv_cache: MHAKVCache
    page_table: torch.Tensor
    attn_backend: BaseAttnBackend
    context: Context = field(repr=False)

    def shutdown(self) -> None:
        """Lets the next engine be built."""
        reset_global_ctx()


def build_engine(
    model: str | ModelConfig = QWEN3,
    rows: int = 5,
    dtype: torch.dtype = torch.float32,
    attn: str = "torch",
    page_size: int = 1,
    device: torch.device = CPU,
) -> SmallEngine:
    """An engine of rows page-table rows; unwritten KV is NaN, so that reading it shows."""
    config = model if isinstance(model, ModelConfig) else ModelConfig.from_hf(cached_load_hf_config(model))
    ctx = Context(page_size=page_size)
    ctx.kv_cache = kv_cache = MHAKVCache(
        config.num_kv_heads,
        config.num_layers,
        config.head_dim,
        num_pages=rows * WIDTH // page_size,
        page_size=page_size,
        dtype=dtype,
        device=device,
    )
    for layer in range(config.num_layers):
        kv_cache.k_cache(layer).fill_(torch.nan)
        kv_cache.v_cache(layer).fill_(torch.nan)
    ctx.page_table = torch.full((rows, WIDTH), -1, dtype=torch.int32, device=device)
    set_global_ctx(ctx)
    ctx.attn_backend = create_attention_backend(attn, config)
    return SmallEngine(config, kv_cache, ctx.page_table, ctx.attn_backend, ctx)


def identity_page_table(engine: SmallEngine, rows: int) -> None:
    """Gives the first rows the slots row * WIDTH + column."""
    engine.page_table[:rows] = torch.arange(rows * WIDTH, dtype=torch.int32).view(rows, WIDTH)


def new_req(ids: Sequence[int], row: int, cached_len: int = 0, output_len: int = 8) -> Req:
    """A greedy request in a row of the page table, with the row as its uid."""
    tokens = torch.tensor(ids, dtype=torch.int32)
    return Req(tokens, row, cached_len, output_len, row, SamplingParams(), None)


def new_batch(
    engine: SmallEngine,
    reqs: list[Req],
    phase: Literal["prefill", "decode"] = "prefill",
    padded: list[Req] | None = None,
) -> Batch:
    """A batch with its slots and metadata, as a scheduler would hand it to the model."""
    batch = Batch(reqs=reqs, phase=phase)
    batch.padded_reqs = reqs if padded is None else padded
    new = [(r.table_idx, r.cached_len, r.device_len) for r in batch.padded_reqs]
    batch.out_loc = torch.cat([engine.page_table[row, start:stop] for row, start, stop in new])
    device = engine.page_table.device
    batch.positions = torch.cat([torch.arange(start, stop) for _, start, stop in new]).int().to(device)
    ids = [r.input_ids[r.cached_len : r.device_len] for r in batch.padded_reqs]
    batch.input_ids = torch.cat(ids).to(device)
    engine.attn_backend.prepare_metadata(batch)
    return batch


def random_qkv(engine: SmallEngine, tokens: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """q [tokens, Hq, D], k and v [tokens, Hkv, D], normal."""
    config = engine.config
    dtype = engine.kv_cache.dtype
    heads = (config.num_qo_heads, config.num_kv_heads, config.num_kv_heads)
    q, k, v = (torch.randn(tokens, n, config.head_dim).to(engine.kv_cache.device, dtype) for n in heads)
    return q, k, v


def dense_causal(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float) -> torch.Tensor:
    """Causal attention of one whole sequence, no pages, no cache: q [n, Hq, D] gives [n, Hq, D]."""
    q, k, v = (x.transpose(0, 1) for x in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, enable_gqa=True)
    return out.transpose(0, 1)
