"""The engine of one rank: model, KV pool, page table, attention, sampler."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch

from minisgl.attention import create_attention_backend, resolve_attn_backend
from minisgl.core import Batch, Context, Req, SamplingParams, reset_global_ctx, set_global_ctx
from minisgl.distributed import set_tp_info
from minisgl.engine.config import EngineConfig
from minisgl.engine.graph import GraphRunner, determine_graph_bs
from minisgl.engine.sample import BatchSamplingArgs, Sampler
from minisgl.kvcache import MHAKVCache
from minisgl.models import BaseLLMModel, create_model, load_weights
from minisgl.utils import align_up, torch_dtype

Named = tuple[str, torch.Tensor]
TABLE_ALIGNMENT = 32  # columns of the page table, so that each row begins on 128 bytes


class ForwardOutput(NamedTuple):
    """The next tokens of a batch's real requests, int32 [bs], and their way to the host."""

    next_tokens: torch.Tensor
    next_tokens_cpu: torch.Tensor
    copy_done: torch.cuda.Event | None

    def wait(self) -> torch.Tensor:
        """The tokens on the host, once they are there."""
        if self.copy_done is not None:
            self.copy_done.synchronize()
        return self.next_tokens_cpu


class Engine:
    """Owns the process's context, from its construction to shutdown()."""

    def __init__(self, config: EngineConfig, weights: Iterable[Named]) -> None:
        """weights: a Hugging Face checkpoint's names and whole tensors."""
        set_tp_info(config.tp_info.rank, config.tp_info.size)
        model_config, self.device = config.model_config, config.device
        self.model = build_model(config, weights)
        self.ctx = Context(config.page_size)
        self.ctx.kv_cache = MHAKVCache(
            model_config.num_kv_heads,
            model_config.num_layers,
            model_config.head_dim,
            config.num_pages + 1,  # the last page is the dummies'
            config.page_size,
            config.dtype,
            self.device,
        )
        self.max_seq_len = config.longest_seq_len
        shape = (config.max_running_req + 1, align_up(self.max_seq_len, TABLE_ALIGNMENT))
        self.ctx.page_table = self.page_table = torch.zeros(shape, dtype=torch.int32, device=self.device)
        self.dummy_req = self._new_dummy(config)
        set_global_ctx(self.ctx)
        backend = resolve_attn_backend(config.attention_backend, self.device, config.dtype)
        self.ctx.attn_backend = self.attn_backend = create_attention_backend(backend, model_config)
        self.sampler = Sampler(model_config.vocab_size, self.device, config.seed)
        self.graph_runner = self._capture(config)

    @torch.inference_mode()
    def forward_batch(self, batch: Batch, args: BatchSamplingArgs) -> ForwardOutput:
        """Runs a prepared batch and samples; on a GPU all of it may still be going on at return."""
        if self.graph_runner.can_use_graph(batch):
            logits = self.graph_runner.replay(batch)
        else:
            with self.ctx.forward_batch(batch):
                logits = self.model.forward()
        for req in batch.reqs:
            req.complete_one()
        tokens = self.sampler.sample(logits[: batch.size], args)
        host = tokens.to("cpu", non_blocking=True)
        copy_done = None
        if self.device.type == "cuda":
            copy_done = torch.cuda.Event()  # type: ignore[no-untyped-call]
            copy_done.record()
        return ForwardOutput(tokens, host, copy_done)

    def shutdown(self) -> None:
        """Lets the next engine of this process be built."""
        self.graph_runner.destroy()
        reset_global_ctx()

    def _new_dummy(self, config: EngineConfig) -> Req:
        """The request that fills a batch up: one token in a page that nobody else is given."""
        row = config.max_running_req
        self.page_table[row] = config.num_tokens
        ids = torch.zeros(1, dtype=torch.int32)
        return Req(ids, row, 0, 1, uid=-1, sampling_params=SamplingParams(), cache_handle=None)

    @torch.inference_mode()
    def _capture(self, config: EngineConfig) -> GraphRunner:
        sizes = determine_graph_bs(config.cuda_graph_bs, config.cuda_graph_max_bs)
        vocab_size, width = config.model_config.vocab_size, self.page_table.shape[1]
        return GraphRunner(self.model, self.attn_backend, sizes, width, vocab_size, self.dummy_req)


def build_model(config: EngineConfig, weights: Iterable[Named]) -> BaseLLMModel:
    """This rank's part of the model, on the device; no weight is allocated before it is loaded."""
    with torch.device("meta"), torch_dtype(config.dtype):
        model = create_model(config.model_config)
    ready = ((name, value.to(config.device, config.dtype)) for name, value in weights)
    load_weights(model, config.model_config, ready)
    return model
