"""Sampling: the engine's rule, its packing of parameters, and agreement with the solution of #190."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import torch
from minisgl.core import Batch, Req, SamplingParams
from minisgl.engine import BatchSamplingArgs, Sampler, sample_tokens
from minisgl.engine.sample import cut_top_k, cut_top_p, draw

CPU = torch.device("cpu")
BANK = Path(__file__).resolve().parents[2] / "problems" / "minisgl"


def solution_of(number: int) -> ModuleType:
    """A problem's reference solution."""
    (path,) = BANK.glob(f"{number}-*/solution.py")
    spec = importlib.util.spec_from_file_location(f"solution_{number}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prepared(*params: SamplingParams, vocab: int = 10) -> BatchSamplingArgs:
    """What the sampler packs for requests with these parameters."""
    ids = torch.zeros(1, dtype=torch.int32)
    reqs = [Req(ids, row, 0, 1, row, one, None) for row, one in enumerate(params)]
    return Sampler(vocab, CPU, seed=0).prepare(Batch(reqs, "decode"))


def test_greedy_requests_need_no_parameters() -> None:
    args = prepared(SamplingParams(), SamplingParams(temperature=2.0, top_k=1))
    assert args == BatchSamplingArgs(None, None, None)
    logits = torch.tensor([[1.0, 3.0, 3.0], [0.0, -1.0, 2.0]])
    tokens = Sampler(3, CPU, seed=0).sample(logits, args)
    assert tokens.tolist() == [1, 2] and tokens.dtype == torch.int32


def test_a_mixed_batch_is_packed_row_by_row_and_only_what_is_asked_for() -> None:
    args = prepared(SamplingParams(), SamplingParams(temperature=0.5, top_k=99))
    assert args.temperatures is not None and args.top_k is not None
    assert args.temperatures.tolist() == pytest.approx([1e-6, 0.5])
    assert args.top_k.tolist() == [1, 10] and args.top_p is None
    args = prepared(SamplingParams(temperature=1.0, top_p=-1.0), SamplingParams(temperature=1.0, top_k=0))
    assert args.top_k is None and args.top_p is not None
    assert args.top_p.tolist() == pytest.approx([1e-6, 1.0])


def test_greedy_rows_of_a_mixed_batch_take_the_first_of_the_most_likely() -> None:
    args = prepared(SamplingParams(temperature=-1.0, top_p=0.5), SamplingParams(temperature=5.0), vocab=3)
    logits = torch.tensor([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0]])
    sampler = Sampler(3, CPU, seed=0)
    drawn = torch.stack([sampler.sample(logits, args) for _ in range(60)])
    assert set(drawn[:, 0].tolist()) == {1} and set(drawn[:, 1].tolist()) == {0, 1, 2}


def test_what_top_k_leaves_is_renormalised_before_top_p() -> None:
    logits = torch.tensor([[0.5, 0.3, 0.1, 0.06, 0.04]]).log()
    u = torch.tensor([0.999])
    one = sample_tokens(logits, torch.ones(1), torch.tensor([3]), torch.tensor([0.55]), u)
    assert one.tolist() == [0]  # 0.5 / 0.9 reaches 0.55, so the second is out


def test_cuts_keep_the_one_that_reaches_p_and_always_the_first() -> None:
    probs = torch.tensor([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [0.5, 0.25, 0.25]])
    kept = cut_top_p(probs, torch.tensor([0.5, 0.6, 1e-6])) > 0
    assert kept.tolist() == [[True, False, False], [True, True, False], [True, False, False]]
    assert (cut_top_k(probs, torch.tensor([1, 2, 3])) > 0).sum(dim=1).tolist() == [1, 2, 3]


def test_nothing_without_probability_is_drawn_at_either_end() -> None:
    probs = torch.tensor([[0.0, 0.3, 0.0, 0.7, 0.0]]).repeat(2, 1)
    assert draw(probs, torch.tensor([0.0, 1 - 2**-24])).tolist() == [1, 3]


def test_the_solution_of_190_draws_the_same_tokens() -> None:
    generator = torch.Generator().manual_seed(5)
    rows, vocab = 400, 50
    logits = 3 * torch.randn(rows, vocab, generator=generator)
    temperature = 0.1 + 2 * torch.rand(rows, generator=generator)
    top_k = torch.randint(1, vocab + 1, (rows,), generator=generator, dtype=torch.int32)
    top_p = 0.05 + 0.95 * torch.rand(rows, generator=generator)
    u = torch.rand(rows, generator=generator)
    want = solution_of(190).sample_batch(logits, temperature, top_k, top_p, u)
    assert torch.equal(sample_tokens(logits, temperature, top_k, top_p, u), want)
    assert len(want.unique()) > 20 and (want != logits.argmax(dim=1)).sum() > 50


def test_samplers_of_one_seed_draw_the_same() -> None:
    logits = torch.zeros(8, 50)
    args = BatchSamplingArgs(torch.ones(8))
    a, b, c = (Sampler(50, CPU, seed) for seed in (1, 1, 2))
    first = a.sample(logits, args)
    assert torch.equal(first, b.sample(logits, args))
    assert not torch.equal(first, c.sample(logits, args))
    assert not torch.equal(first, a.sample(logits, args))
