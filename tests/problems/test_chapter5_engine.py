"""#501 to #505: their reference solutions do what the engine's own modules do."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

import minisgl.attention as engine
import pytest
import torch
from minisgl.attention import SUPPORTED_ATTENTION_BACKENDS, BaseAttnBackend, validate_attn_backend
from minisgl.attention.torch_backend import TorchAttnMetadata, attend_decode, attend_varlen
from minisgl.attention.utils import make_cu_seqlens
from minisgl.core import Batch
from minisgl.kernel import store_cache
from minisgl.utils import Registry

from judge.grading.seeds import rng_for
from judge.problem import load_problem
from tests.problems.conftest import BANK, modules_beside, solution_of

CPU = torch.device("cpu")


def folder(number: int) -> Path:
    """The folder of a problem."""
    return next((BANK / "minisgl").glob(f"{number}-*"))


@pytest.mark.parametrize("lens", [[7], [3, 12, 1, 8], [5, 5, 5]])
@pytest.mark.parametrize(("heads", "kv_heads", "dim"), [(4, 2, 16), (3, 3, 5), (7, 1, 1)])
def test_the_fast_path_agrees_with_the_engines(lens: list[int], heads: int, kv_heads: int, dim: int) -> None:
    problem = load_problem(folder(501))
    with modules_beside(problem, "decode") as beside:
        call = beside.decode.inputs(rng_for("seed", "case"), lens, heads, kv_heads, dim, dtype=torch.float64)
        call = call.poisoned(float("nan"))
        expected = beside.decode.attention(call)
    meta = TorchAttnMetadata(torch.arange(len(lens) + 1), call.lens, call.table, max_seqlen_q=1)
    theirs = attend_decode(call.q, call.k_pool, call.v_pool, meta, dim**-0.5)
    for ours in (solution_of(problem).decode_attention(*call), expected):
        torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=1e-12)


def test_a_layer_stores_and_reads_as_the_engine_does() -> None:
    problem = load_problem(folder(502))
    with modules_beside(problem, "layer") as beside:
        spans = [(9, 10), (0, 6), (5, 8)]
        call = beside.layer.make(rng_for("seed", "case"), spans, dummies=2, dtype=torch.float64)
        expected = beside.layer.attention(call, call.stored())
    pools = [pool.clone() for pool in call.pools]
    ours = solution_of(problem).attn_layer(call.q, call.k, call.v, call.out_loc, *pools, call.meta)
    theirs = [pool.clone() for pool in call.pools]
    store_cache(call.k, call.v, *theirs, call.out_loc)
    meta = TorchAttnMetadata(*call.meta.values(), max_seqlen_q=6)
    attended = attend_varlen(call.q, *theirs, meta, call.q.shape[-1] ** -0.5)
    for one, other in zip(pools, theirs, strict=True):
        assert torch.equal(one, other)
    for one in (ours, expected):
        torch.testing.assert_close(one, attended, atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("reqs", [[], [(0, 6), (4, 7), (8, 9)], [(3, 4), (7, 8)], [(0, 5), (0, 1)]])
def test_running_sums_are_the_engines(reqs: list[tuple[int, int]]) -> None:
    cu_q, cu_k = solution_of(load_problem(folder(503))).make_cu_seqlens(reqs, "cpu")
    for ours, lens in ((cu_q, [end - start for start, end in reqs]), (cu_k, [end for _, end in reqs])):
        theirs = make_cu_seqlens(lens, CPU, use_pin=False)
        assert torch.equal(ours, theirs) and ours.dtype == theirs.dtype


def test_the_paths_are_what_they_promise() -> None:
    solution = solution_of(load_problem(folder(503)))
    for reqs in ([(3, 4), (7, 8)], [(0, 5), (0, 1)], [(0, 1), (0, 1)]):
        cu_q, cu_k = solution.make_cu_seqlens(reqs, "cpu")
        path = solution.choose_path(reqs)
        assert torch.equal(cu_q, torch.arange(len(reqs) + 1) if path == "decode" else cu_k)


def outcome(call: Any, *arguments: Any) -> Any:
    """What a call returned, or what it raised and said."""
    try:
        return call(*arguments)
    except (KeyError, ArgumentTypeError) as error:
        return type(error), str(error)


def test_the_registry_does_and_says_what_the_engines_does() -> None:
    ours, theirs = (
        made("attention backend") for made in (solution_of(load_problem(folder(504))).Registry, Registry)
    )
    for registry in (ours, theirs):
        assert registry.register("fi")(registry.register("fa")(CPU)) is CPU
    for method, name in (
        ("register", "fa"),
        ("__getitem__", "fo"),
        ("assert_supported", "fo"),
        ("__getitem__", "fi"),
    ):
        assert outcome(getattr(ours, method), name) == outcome(getattr(theirs, method), name)
    assert ours.supported_names() == theirs.supported_names() == ["fa", "fi"]


@pytest.mark.parametrize(
    "text", ["fa,fi", "torch", "auto", "fo", "fa,fo", "fa,fi,torch", "fa,", "auto,fa", ""]
)
@pytest.mark.parametrize("allow_auto", [True, False])
def test_options_are_judged_as_by_the_engine(text: str, allow_auto: bool) -> None:
    validate = solution_of(load_problem(folder(504))).validate_backend
    theirs = outcome(validate_attn_backend, text, allow_auto)
    assert outcome(validate, SUPPORTED_ATTENTION_BACKENDS, text, allow_auto) == theirs


class Noted(BaseAttnBackend):
    """A backend that notes what it is asked to do."""

    def __init__(self, name: str, log: list[str]) -> None:
        self._name, self._log = name, log

    def forward(self, *_: Any) -> Any:
        self._log.append(f"{self._name} forward")

    def prepare_metadata(self, *_: Any) -> None:
        self._log.append(f"{self._name} prepare")

    def init_capture_graph(self, *_: Any) -> None:
        self._log.append(f"{self._name} init")

    def prepare_for_capture(self, *_: Any) -> None:
        self._log.append(f"{self._name} capture")

    def prepare_for_replay(self, *_: Any) -> None:
        self._log.append(f"{self._name} replay")


def test_the_hybrid_passes_on_as_the_engines_does() -> None:
    logs: list[list[str]] = []
    for made in (solution_of(load_problem(folder(505))).HybridBackend, engine.HybridBackend):
        log: list[str] = []
        hybrid = made(Noted("prefill", log), Noted("decode", log))
        for batch in (Batch([], "prefill"), Batch([], "decode")):
            hybrid.prepare_metadata(batch)
            hybrid.forward(CPU, CPU, CPU, 0, batch)
            hybrid.prepare_for_capture(batch)
            hybrid.prepare_for_replay(batch)
        hybrid.init_capture_graph(8, [1, 2])
        logs.append(log)
    assert logs[0] == logs[1] and len(logs[0]) == 9


@pytest.mark.parametrize("text", ["one", "one,two", "two,two", "one,fo", "fo"])
def test_backends_are_created_as_by_the_engine(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    registry: Registry[Any] = Registry("attention backend")
    made: list[str] = []
    for name in ("one", "two"):
        registry.register(name)(lambda config, name=name: made.append(name) or Noted(name, []))
    monkeypatch.setattr(engine, "SUPPORTED_ATTENTION_BACKENDS", registry)
    theirs, by_engine = outcome(engine.create_attention_backend, text, CPU), made.copy()
    made.clear()
    factories = {name: registry[name] for name in registry.supported_names()}
    ours = outcome(solution_of(load_problem(folder(505))).create_backend, text, factories, CPU)
    assert made == by_engine
    if isinstance(theirs, tuple):
        assert ours == theirs
    else:
        assert type(ours).__name__ == type(theirs).__name__
