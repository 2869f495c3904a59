"""What the cases of #185 to #188, #192, #193, #199, #201 (sizes), #202, #506 and #508 ask for is what the reference engine does."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from minisgl.attention import auto_attn_backend
from minisgl.attention.torch_backend import TorchAttnBackend, TorchAttnMetadata
from minisgl.core import Req, SamplingParams
from minisgl.engine.graph import determine_graph_bs
from minisgl.kernel import store_cache
from minisgl.kvcache.radix import RadixPrefixCache
from minisgl.layers.base import BaseOP, OPList
from minisgl.models.weight import merge_weights, shard_tensor
from minisgl.scheduler.cache import CacheManager
from minisgl.utils import div_even

from judge.grading.author import Wrong, tolerances
from judge.grading.seeds import rng_for
from judge.problem_fields import Tolerance
from tests.problems.beside import Beside


def request(table_idx: int, cached_len: int, device_len: int) -> Req:
    ids = torch.zeros(device_len, dtype=torch.int32)
    return Req(ids, table_idx, cached_len, 1, 0, SamplingParams(), None)


class Allocator(CacheManager):
    """The engine's, for the problem's triples."""

    def allocate_paged(self, reqs: Any) -> None:
        super().allocate_paged([request(*req) for req in reqs])

    def out_loc(self, reqs: Any) -> torch.Tensor:
        return super().out_loc([request(*req) for req in reqs])


class Radix(RadixPrefixCache):
    """The engine's, by the problem's names."""

    def __init__(self, page_size: int = 1) -> None:
        super().__init__(page_size, torch.device("cpu"))

    def matched_indices(self, handle: Any) -> torch.Tensor:
        pieces, node = [], handle.node
        while node.parent is not None:
            pieces.append(node.value)
            node = node.parent
        return torch.cat([torch.empty(0, dtype=torch.int32), *reversed(pieces)])

    def lock(self, handle: Any) -> None:
        self.lock_handle(handle)

    def unlock(self, handle: Any) -> None:
        self.lock_handle(handle, unlock=True)

    @property
    def evictable_size(self) -> int:
        return self.size_info.evictable_size

    @property
    def protected_size(self) -> int:
        return self.size_info.protected_size


class Hooks(TorchAttnBackend):
    """The engine's, for the problem's dicts."""

    def __init__(self) -> None:
        self.device = torch.device("cpu")
        self.capture, self.capture_bs = None, []

    def prepare_for_capture(self, bs: Any) -> Any:
        batch: Any = SimpleNamespace(size=bs)
        super().prepare_for_capture(batch)
        return vars(batch.attn_metadata)

    def prepare_for_replay(self, meta: Any) -> None:
        batch: Any = SimpleNamespace(
            padded_size=len(meta["cache_seqlens"]), attn_metadata=TorchAttnMetadata(**meta)
        )
        super().prepare_for_replay(batch)


class Life(Req):
    """The engine's, with what the problem leaves out."""

    def __init__(self, input_ids: torch.Tensor, cached_len: int, output_len: int) -> None:
        super().__init__(input_ids, 0, cached_len, output_len, 0, SamplingParams(), None)


def count(cached_len: int, device_len: int, page_size: int) -> int:
    """How many pages the engine takes."""
    table = torch.zeros(1, 100, dtype=torch.int32)
    manager = Allocator(200, page_size, table)
    manager.allocate_paged([(0, cached_len, device_len)])
    return 200 - manager.available_size // page_size


@pytest.mark.parametrize("page_size", [1, 3, 4])
def test_188_the_engines_allocator_is_accepted(beside: Callable[..., Beside], page_size: int) -> None:
    problem = beside(188, PageAllocator=Allocator, new_pages=count)
    playing, hidden = problem.module("playing"), problem.module("test_hidden")
    playing.count(problem.submission, [(0, 6), (6, 8), (6, 9), (3, 13)], page_size)
    for lazy in (False, True):
        config = playing.config_of(9, page_size, 4, 8 * page_size + 1)
        runs = hidden.random_runs(rng_for("seed", f"{page_size}{lazy}"), config, 8, 25, lazy=lazy)
        playing.play(problem.submission, config, runs)


def hand_over(cache: Any, req: Any, finished: bool, free: Any) -> None:
    """The engine's cache_req, for the problem's request and cache."""
    manager: Any = SimpleNamespace(
        page_table=req.row[None],
        prefix_cache=cache,
        lock=cache.lock,
        unlock=cache.unlock,
        free=lambda slots: free(slots) if len(slots) else None,
    )
    req.table_idx, req.cache_handle = 0, req.handle
    CacheManager.cache_req(manager, req, finished=finished)
    if not finished:
        req.handle = req.cache_handle


@pytest.mark.parametrize("page_size", [1, 3])
def test_192_the_engines_hand_over_is_accepted(beside: Callable[..., Beside], page_size: int) -> None:
    problem = beside(192, cache_req=hand_over)
    worlds = problem.module("worlds")
    rng = rng_for("seed", str(page_size))
    worlds.play(problem.submission, page_size, [worlds.random_run(rng, 24) for _ in range(5)])


@pytest.mark.parametrize("page_size", [1, 2, 3])
def test_193_the_engines_radix_cache_is_accepted(beside: Callable[..., Beside], page_size: int) -> None:
    problem = beside(193, RadixCache=Radix)
    playing = problem.module("playing")
    runs = playing.random_runs(rng_for("seed", str(page_size)), page_size, 8, 30, playing.ALL)
    for overwrite in (False, True):
        playing.play(problem.submission, page_size, runs, overwrite=overwrite)


def test_185_the_engines_request_is_accepted(beside: Callable[..., Beside]) -> None:
    problem = beside(185, Req=Life)
    requests = problem.module("requests")
    rng = rng_for("seed", "life")
    requests.play(problem.submission, [requests.life(rng) for _ in range(5)])
    requests.play(problem.submission, [[requests.attempt(5, 5, 3), *requests.life(rng)]])
    assert problem.submission.harness.identities(torch.arange(3), 1) == [False, True, 2, True, False, 4]


def test_186_the_engines_operations_are_accepted(beside: Callable[..., Beside]) -> None:
    problem = beside(186, BaseOP=BaseOP, OPList=OPList)
    trees, loading = problem.module("trees"), problem.module("loading")
    rng = rng_for("seed", "trees")
    with tolerances({name: Tolerance(0.0, 0.0) for name in ("float32", "bfloat16")}):
        for prefix in (None, "model", "a.b"):
            told = trees.op(model=trees.tree(rng), layers=trees.ops([trees.block(rng) for _ in range(11)]))
            trees.verify(problem.submission, told, prefix)
            state = loading.others(rng, told)
            loading.accepted(problem.submission, told, state, frozen=True)
            lost = state.pop("layers.10.norm_weight")
            loading.refused(problem.submission, told, state, "KeyError", ["layers.10.norm_weight"], "missing")
            state["layers.10.norm_weight"] = lost.half()
            loading.refused(problem.submission, told, state, "ValueError", ["layers.10.norm_weight"], "dtype")


def test_187_the_engines_merging_is_accepted(beside: Callable[..., Beside]) -> None:
    problem = beside(187, load_weights=merge_weights)
    streams = problem.module("streams")
    rng = rng_for("seed", "stream")
    items = [item for layer in (1, 10) for item in streams.attention(rng, layer, bias=True)]
    items = streams.shuffled(rng, items + streams.mlp(rng, "model.layers.1.mlp"))
    with tolerances({"float32": Tolerance(0.0, 0.0)}):
        streams.verify(problem.submission, items)
    lost = "model.layers.10.self_attn.k_proj.bias"
    some = [item for item in items if item[0] != lost]
    streams.refused(problem.submission, some, 0, "model.layers.10.self_attn.qkv_proj.bias")


def test_201_the_engines_batch_sizes_are_accepted(beside: Callable[..., Beside]) -> None:
    problem = beside(
        201, determine_graph_bs=lambda max_bs: determine_graph_bs(None, max_bs), GraphRunner=None
    )
    problem.module("test_hidden").sizes(problem.submission, [-1, 0, 1, 2, 3, 4, 7, 8, 9, 31, 32])


def test_202_the_engines_store_is_accepted(beside: Callable[..., Beside]) -> None:
    problem = beside(202, store_cache=store_cache)
    pools = problem.module("pools")
    rng = rng_for("seed", "pools")
    harness, store = problem.submission.harness, problem.submission.harness.store
    # nothing is sent to a cell here, so the pool that is compared must not be the one that is written
    harness.store = lambda qkv, heads, dim, form, pool, *rest: store(
        qkv, heads, dim, form, pool.clone(), *rest
    )
    for form in ("split", "transposed"):
        for layout in ("apart", "interleaved"):
            pools.store(
                problem.submission, pools.make(rng, 5, 2, 4, torch.bfloat16, form=form, layout=layout)
            )


def test_199_the_engines_loader_is_accepted(beside: Callable[..., Beside]) -> None:
    problem = beside(199, shard_tensor=shard_tensor, div_even=div_even)
    shards, dividing = problem.module("shards"), problem.module("dividing")
    dividing.divide(problem.submission, [(16, 4, False), (2, 4, True), (3, 2, True), (5, 7, True)])
    rng = rng_for("seed", "shards")
    names = {"self_attn.q_proj.weight": (16, 6), "self_attn.k_proj.bias": (16,), "self_attn.o_proj.bias": (16,),
             "mlp.down_proj.weight": (6, 16), "mlp.gate.weight": (8, 6)}  # fmt: skip
    for size, kv_heads in ((1, 2), (2, 8), (4, 2)):
        calls = [
            call
            for name, shape in names.items()
            for call in shards.all_ranks(rng, f"model.layers.1.{name}", shape, size, kv_heads)
        ]
        calls += shards.all_ranks(rng, "lm_head.weight", (5, 3), size, kv_heads)
        with tolerances({"float32": Tolerance(0.0, 0.0)}):
            shards.verify(problem.submission, calls)


def test_506_the_engines_rule_is_accepted(beside: Callable[..., Beside]) -> None:
    rules = beside(506).module("rules")
    dtypes = (*rules.HALF, *rules.OTHERS)
    inputs = [(cap, dtype) for cap in (None, (7, 5), (8, 0), (9, 0), (10, 3)) for dtype in dtypes]
    rules.verify(auto_attn_backend, inputs, rules.pick, rules.PICK_KNOWN, "pick_backend")


def test_508_the_engines_hooks_are_accepted(beside: Callable[..., Beside]) -> None:
    problem = beside(508, GraphHooks=Hooks)
    hooks, playing = problem.module("hooks"), problem.module("playing")
    rng = rng_for("seed", "hooks")
    playing.play(problem.submission, [hooks.random_run(rng, 8) for _ in range(5)])


def test_190_right_and_wrong_distributions_are_told_apart(beside: Callable[..., Beside]) -> None:
    sampling = beside(190).module("sampling")
    rng = rng_for("seed", "sampling")
    logits = torch.tensor([0.36, 0.27, 0.16, 0.1, 0.07, 0.04]).log()
    row = sampling.Row(logits, 1.4, 5, 0.7)
    drawn = torch.tensor(rng.choice(6, sampling.DRAWS, p=sampling.right(row).numpy()))
    sampling.verify(drawn, row)
    off = sampling.right(row) + torch.tensor([0.04, -0.04, 0, 0, 0, 0])
    with pytest.raises(Wrong):
        sampling.verify(torch.tensor(rng.choice(6, sampling.DRAWS, p=off.numpy())), row)
