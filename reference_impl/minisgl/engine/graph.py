"""Captured decodes: fixed buffers, one graph for each batch size, padding and replay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from minisgl.attention import BaseAttnBackend
from minisgl.core import Batch, Req, get_global_ctx
from minisgl.models import BaseLLMModel
from minisgl.utils import init_logger

logger = init_logger(__name__)


class Graph(Protocol):
    """Something that was captured: torch.cuda.CUDAGraph, or EmulatedGraph where there is no GPU."""

    def replay(self) -> None:
        """Does again what was captured, on what the buffers hold now."""


class EmulatedGraph:
    """Runs a function again. All that it reads was bound at capture, so that it sees buffers only."""

    def __init__(self, run: Callable[[], None]) -> None:
        self._run = run

    def replay(self) -> None:
        """Calls the function."""
        self._run()


def determine_graph_bs(sizes: Sequence[int] | None, max_bs: int) -> list[int]:
    """Ascending batch sizes to capture: those given, else 1, 2, 4 and the multiples of 8 up to max_bs."""
    if sizes is not None:
        return sorted(sizes)
    return [bs for bs in (1, 2, 4, *range(8, max_bs + 1, 8)) if bs <= max_bs]


@dataclass
class GraphCaptureBuffer:
    """What a captured decode reads and writes; bs: the largest size."""

    input_ids: torch.Tensor  # int32 [bs]
    positions: torch.Tensor  # int32 [bs]
    out_loc: torch.Tensor  # int32 [bs]
    logits: torch.Tensor  # float32 [bs, V]

    @classmethod
    def create(cls, bs: int, vocab_size: int, device: torch.device) -> GraphCaptureBuffer:
        """Zeros."""
        ids, positions, out_loc = torch.zeros((3, bs), dtype=torch.int32, device=device)
        logits = torch.zeros((bs, vocab_size), dtype=torch.float32, device=device)
        return cls(ids, positions, out_loc, logits)

    def set_batch(self, batch: Batch) -> None:
        """Makes the buffers the batch's inputs, at capture."""
        bs = batch.padded_size
        batch.input_ids, batch.positions = self.input_ids[:bs], self.positions[:bs]
        batch.out_loc = self.out_loc[:bs]

    def copy_from(self, batch: Batch) -> None:
        """Puts a batch's inputs where its graph reads, before a replay."""
        bs = batch.padded_size
        self.input_ids[:bs].copy_(batch.input_ids)
        self.positions[:bs].copy_(batch.positions)
        self.out_loc[:bs].copy_(batch.out_loc)


class GraphRunner:
    """Captures the model's decode for each size, from large to small, and replays batches padded to a size."""

    def __init__(
        self,
        model: BaseLLMModel,
        attn_backend: BaseAttnBackend,
        sizes: Sequence[int],
        max_seq_len: int,
        vocab_size: int,
        dummy_req: Req,
    ) -> None:
        self.model, self.attn_backend, self.dummy_req = model, attn_backend, dummy_req
        self.sizes = sorted(sizes)
        self.graphs: dict[int, Graph] = {}
        if not self.sizes:
            return
        self.device = get_global_ctx().page_table.device
        self.buffer = GraphCaptureBuffer.create(self.sizes[-1], vocab_size, self.device)
        attn_backend.init_capture_graph(max_seq_len, self.sizes)
        logger.info("Capturing decodes of %s requests", self.sizes)
        for bs in reversed(self.sizes):  # the smaller ones fit in the memory of the largest
            self.graphs[bs] = self._capture(bs)

    def can_use_graph(self, batch: Batch) -> bool:
        """True for a decode that fits a captured size."""
        return batch.is_decode and bool(self.sizes) and batch.size <= self.sizes[-1]

    def pad_batch(self, batch: Batch) -> None:
        """Sets batch.padded_reqs: dummies fill it up to a captured size, if there is one."""
        missing = 0
        if self.can_use_graph(batch):
            missing = next(bs for bs in self.sizes if bs >= batch.size) - batch.size
        batch.padded_reqs = batch.reqs + [self.dummy_req] * missing

    def replay(self, batch: Batch) -> torch.Tensor:
        """Logits [batch.size, V] of a prepared batch: a view that the next replay overwrites."""
        self.buffer.copy_from(batch)
        self.attn_backend.prepare_for_replay(batch)
        self.graphs[batch.padded_size].replay()
        return self.buffer.logits[: batch.size]

    def destroy(self) -> None:
        """Drops the graphs, which must go before the communicator that they use."""
        self.graphs.clear()

    def _capture(self, bs: int) -> Graph:
        batch = Batch([self.dummy_req] * bs, "decode")
        self.attn_backend.prepare_for_capture(batch)
        self.buffer.set_batch(batch)

        def run() -> None:
            with get_global_ctx().forward_batch(batch):
                self.buffer.logits[:bs].copy_(self.model.forward())

        run()  # a first run loads kernels and makes tables, which must not be captured
        if self.device.type != "cuda":
            return EmulatedGraph(run)
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize(self.device)
        largest = self.graphs.get(self.sizes[-1])
        pool = largest.pool() if isinstance(largest, torch.cuda.CUDAGraph) else None
        with torch.cuda.graph(graph, pool=pool):
            run()
        return graph
