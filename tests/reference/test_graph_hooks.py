"""The CUDA-graph hooks on the CPU: a captured decode is played again through its fixed buffers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from minisgl.attention.torch_backend import TorchAttnBackend, TorchAttnMetadata
from minisgl.core import Batch, Req

from tests.reference.small_engine import (
    WIDTH,
    SmallEngine,
    build_engine,
    identity_page_table,
    new_batch,
    new_req,
    random_qkv,
)

SIZES = [1, 2, 4]
DUMMY_ROW = 4
LAYER = 3


class EmulatedGraph:
    """Runs a function again on the batch that it was captured with: it sees what the buffers hold now."""

    def __init__(self, run: Callable[[Batch], torch.Tensor], batch: Batch) -> None:
        self.run, self.batch = run, batch

    def replay(self) -> torch.Tensor:
        return self.run(self.batch)


class GraphRunner:
    """Captures one attention layer for each size, and replays prepared batches padded to a size."""

    def __init__(self, engine: SmallEngine) -> None:
        self.backend = engine.attn_backend
        self.backend.init_capture_graph(max_seq_len=WIDTH, bs_list=SIZES)
        self.out_loc = torch.zeros(max(SIZES), dtype=torch.int32)
        self.qkv = random_qkv(engine, max(SIZES))
        self.dummy = new_req([0], DUMMY_ROW)
        self.graphs = {bs: EmulatedGraph(self.run, self.capture_batch(bs)) for bs in reversed(SIZES)}

    def capture_batch(self, bs: int) -> Batch:
        batch = Batch([self.dummy] * bs, "decode")
        batch.out_loc = self.out_loc[:bs]
        self.backend.prepare_for_capture(batch)
        return batch

    def run(self, batch: Batch) -> torch.Tensor:
        q, k, v = (buffer[: batch.size] for buffer in self.qkv)
        return self.backend.forward(q, k, v, LAYER, batch)

    def pad(self, reqs: list[Req]) -> list[Req]:
        size = next(bs for bs in SIZES if bs >= len(reqs))
        return reqs + [self.dummy] * (size - len(reqs))

    def replay(self, batch: Batch, qkv: tuple[torch.Tensor, ...]) -> torch.Tensor:
        self.out_loc[: batch.padded_size] = batch.out_loc
        for buffer, new in zip(self.qkv, qkv, strict=True):
            buffer[: batch.padded_size] = new
        self.backend.prepare_for_replay(batch)
        return self.graphs[batch.padded_size].replay()[: batch.size]


def engine_with_caches(lengths: list[int]) -> tuple[SmallEngine, list[Req]]:
    """Request i has lengths[i] tokens, of which all but the last are cached, in row i."""
    engine = build_engine(rows=5)
    identity_page_table(engine, 5)
    for row, length in enumerate(lengths):
        _, k, v = random_qkv(engine, length - 1)
        engine.kv_cache.store_kv(k, v, engine.page_table[row, : length - 1], LAYER)
    return engine, [new_req(range(n), row, cached_len=n - 1) for row, n in enumerate(lengths)]


def test_five_replays_of_three_requests_padded_to_four_equal_eager() -> None:
    torch.manual_seed(0)
    engine, reqs = engine_with_caches([5, 9, 2])
    runner = GraphRunner(engine)
    for _ in range(5):
        batch = new_batch(engine, reqs, "decode", padded=runner.pad(reqs))
        assert batch.padded_size == 4
        qkv = random_qkv(engine, 4)
        got = runner.replay(batch, qkv)
        want = engine.attn_backend.forward(*qkv, LAYER, batch)[:3]
        assert torch.equal(got, want) or torch.allclose(got, want, atol=1e-6)
        assert not got.isnan().any()
        for req in reqs:
            req.complete_one()
            req.append_host(torch.tensor([7]))


def test_requests_that_leave_or_are_new_do_not_see_what_the_last_replay_left() -> None:
    torch.manual_seed(1)
    engine, reqs = engine_with_caches([20, 2, 3, 4])
    runner = GraphRunner(engine)
    # the long request fills row 0 of the table buffer; later row 0 belongs to short ones
    for chosen in ([0, 1, 2, 3], [3], [1, 2], [2, 3, 1]):
        mine = [reqs[i] for i in chosen]
        batch = new_batch(engine, mine, "decode", padded=runner.pad(mine))
        qkv = random_qkv(engine, batch.padded_size)
        got = runner.replay(batch, qkv)
        want = engine.attn_backend.forward(*qkv, LAYER, batch)[: len(mine)]
        torch.testing.assert_close(got, want, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("forgotten", ["seq_lens", "page_table"])
def test_forgetting_one_buffer_changes_the_result(forgotten: str) -> None:
    torch.manual_seed(2)
    engine, reqs = engine_with_caches([9, 6])
    runner = GraphRunner(engine)
    batch, qkv = new_batch(engine, reqs, "decode"), random_qkv(engine, 2)
    want = runner.replay(batch, qkv).clone()
    assert isinstance(runner.backend, TorchAttnBackend) and runner.backend.capture
    buffer = getattr(runner.backend.capture, forgotten)
    buffer.copy_(torch.ones_like(buffer))  # as if this one had not been copied
    assert not torch.allclose(runner.graphs[2].replay(), want, atol=1e-3, equal_nan=True)


def test_capture_metadata_are_views_of_buffers_that_replays_keep() -> None:
    engine, reqs = engine_with_caches([5, 9])
    runner = GraphRunner(engine)
    captured = runner.graphs[2].batch.attn_metadata
    assert isinstance(captured, TorchAttnMetadata)
    before = [t.data_ptr() for t in (captured.cu_seqlens_q, captured.cache_seqlens, captured.page_table)]
    assert captured.page_table.shape == (2, WIDTH) and captured.max_seqlen_q == 1
    assert captured.cu_seqlens_q.tolist() == [0, 1, 2]
    assert captured.get_last_indices(2).tolist() == [0, 1]
    runner.replay(new_batch(engine, reqs, "decode"), random_qkv(engine, 2))
    after = [t.data_ptr() for t in (captured.cu_seqlens_q, captured.cache_seqlens, captured.page_table)]
    assert before == after
    assert captured.cache_seqlens.tolist() == [5, 9]
    assert captured.page_table[1, :9].tolist() == list(range(WIDTH, WIDTH + 9))


def test_a_size_without_a_graph_is_refused() -> None:
    engine, reqs = engine_with_caches([5, 9, 2])
    backend = engine.attn_backend
    with pytest.raises(ValueError, match="no graph for 3"):
        backend.prepare_for_replay(new_batch(engine, reqs, "decode"))
    backend.init_capture_graph(WIDTH, SIZES)
    with pytest.raises(ValueError, match=r"no graph for 3 requests; captured sizes: \[1, 2, 4\]"):
        backend.prepare_for_replay(new_batch(engine, reqs, "decode"))
    with pytest.raises(RuntimeError, match="called before"):
        backend.init_capture_graph(WIDTH, SIZES)


def test_a_prefill_batch_is_not_replayed() -> None:
    engine, _ = engine_with_caches([5, 9])
    engine.attn_backend.init_capture_graph(WIDTH, SIZES)
    batch = new_batch(engine, [new_req(range(5), 0), new_req(range(9), 1)])
    with pytest.raises(ValueError, match="decode"):
        engine.attn_backend.prepare_for_replay(batch)
