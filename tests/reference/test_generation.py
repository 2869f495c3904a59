"""The whole engine: what it generates greedily is what transformers generates, however it schedules."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
import torch
from minisgl.core import Batch, SamplingParams
from minisgl.llm import LLM
from minisgl.models import ModelConfig
from minisgl.scheduler import NextToken, Scheduler, SchedulerConfig

from tests.reference.tiny_models import VOCAB, checkpoint_of, their_tokens, tiny_model

COUNT = 12
PREFIX = random.Random(0).choices(range(VOCAB), k=9)
# a common beginning, two equal prompts, one that is the beginning of others, one that shares nothing
PROMPTS = [[*PREFIX, *random.Random(n).choices(range(VOCAB), k=n)] for n in (1, 5, 0, 20, 7, 1)] + [[3, 4, 5]]


@cache
def checkpoint(family: str) -> tuple[ModelConfig, dict[str, torch.Tensor], Any]:
    """Our configuration, the weights, their model."""
    theirs = tiny_model(family)
    return ModelConfig.from_hf(theirs.config), checkpoint_of(theirs), theirs


@cache
def wanted(family: str) -> list[list[int]]:
    """Their tokens after each of PROMPTS."""
    return [their_tokens(checkpoint(family)[2], prompt, COUNT) for prompt in PROMPTS]


@contextmanager
def small_llm(family: str = "qwen3", **options: Any) -> Iterator[LLM]:
    """An engine of few pages and rows; whatever happened in it, all of them must be back at the end."""
    config, weights, _ = checkpoint(family)
    options = {"num_pages": 48 // options.get("page_size", 1), "max_running_req": 4} | options
    with LLM(SchedulerConfig(config, **options), weights.items()) as llm:
        yield llm
        assert_all_is_back(llm.scheduler)


def assert_all_is_back(scheduler: Scheduler) -> None:
    """Rows and locks are free; the free pages and those that the cache gives up are all pages, each once."""
    assert scheduler.idle and not scheduler.aborted_reqs
    assert scheduler.table_manager.available_size == scheduler.config.max_running_req
    manager, page_size = scheduler.cache_manager, scheduler.config.page_size
    manager.check_integrity()
    evictable, protected = manager.prefix_cache.size_info
    assert protected == 0
    manager.free(manager.prefix_cache.evict(evictable))
    assert sorted(manager._free.tolist()) == list(range(0, scheduler.config.num_tokens, page_size))


def watched(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> list[Batch]:
    """The batches that the engine is given from now on, in order."""
    seen: list[Batch] = []
    forward = scheduler.engine.forward_batch
    monkeypatch.setattr(
        scheduler.engine, "forward_batch", lambda batch, args: (seen.append(batch), forward(batch, args))[1]
    )
    return seen


def prefilled(batches: Sequence[Batch]) -> list[int]:
    """New tokens of each prefill batch."""
    return [len(batch.input_ids) for batch in batches if batch.is_prefill]


@pytest.mark.parametrize("chunk", [5, 1000])
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("page_size", [1, 4])
def test_qwen3_generates_what_transformers_does(
    page_size: int, overlap: bool, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_llm(page_size=page_size, overlap=overlap, max_extend_tokens=chunk) as llm:
        batches = watched(llm.scheduler, monkeypatch)
        for _ in range(2):  # the second time much of it is cached, and has been evicted
            assert llm.generate(PROMPTS, SamplingParams(max_tokens=COUNT)) == wanted("qwen3")
    computed = prefilled(batches)
    assert max(computed) <= chunk
    assert sum(computed) < 2 * sum(map(len, PROMPTS))  # prefixes were found


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3_moe"])
@pytest.mark.parametrize(("page_size", "overlap", "chunk"), [(1, True, 6), (4, False, 1000)])
def test_its_relatives_do_as_well(family: str, page_size: int, overlap: bool, chunk: int) -> None:
    with small_llm(family, page_size=page_size, overlap=overlap, max_extend_tokens=chunk) as llm:
        assert llm.generate(PROMPTS, SamplingParams(max_tokens=COUNT)) == wanted(family)


def test_without_a_prefix_cache_everything_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    with small_llm(cache_type="naive") as llm:
        batches = watched(llm.scheduler, monkeypatch)
        assert llm.generate(PROMPTS, SamplingParams(max_tokens=COUNT)) == wanted("qwen3")
    assert sum(prefilled(batches)) == sum(map(len, PROMPTS))


def test_a_cached_prompt_costs_its_last_token_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with small_llm(num_pages=500) as llm:
        llm.generate(PROMPTS, SamplingParams(max_tokens=COUNT))
        batches = watched(llm.scheduler, monkeypatch)
        assert llm.generate(PROMPTS[:4], SamplingParams(max_tokens=COUNT)) == wanted("qwen3")[:4]
    assert sum(prefilled(batches)) == 4


def test_captured_decodes_give_the_same_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    with small_llm(cuda_graph_bs=[1, 3], num_pages=300, max_running_req=5) as llm:
        batches = watched(llm.scheduler, monkeypatch)
        assert llm.generate(PROMPTS, SamplingParams(max_tokens=COUNT)) == wanted("qwen3")
    sizes = {(batch.phase, batch.size, batch.padded_size) for batch in batches}
    assert {size for size in sizes if size[0] == "decode"} == {("decode", 5, 5), ("decode", 2, 3)}
    assert all(size == padded for phase, size, padded in sizes if phase == "prefill")


def test_a_token_that_ends_a_request_is_its_last() -> None:
    eos = wanted("qwen3")[0][2]
    cut = [tokens[: tokens.index(eos) + 1] if eos in tokens else tokens for tokens in wanted("qwen3")]
    assert cut[0] == their_tokens(checkpoint("qwen3")[2], PROMPTS[0], COUNT, eos)
    for overlap in (False, True):
        with small_llm(overlap=overlap, eos_token_ids=frozenset({eos})) as llm:
            assert llm.generate(PROMPTS, SamplingParams(max_tokens=COUNT)) == cut
            ignoring = SamplingParams(max_tokens=COUNT, ignore_eos=True)
            assert llm.generate(PROMPTS, ignoring) == wanted("qwen3")


@pytest.mark.parametrize("overlap", [False, True])
def test_with_overlap_a_batch_is_launched_before_the_last_one_is_seen(
    overlap: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    with small_llm(overlap=overlap) as llm:
        for owner, name, event in (
            (llm.scheduler.engine, "forward_batch", "run"),
            (llm.scheduler, "_process", "see"),
        ):
            real = getattr(owner, name)
            monkeypatch.setattr(
                owner, name, lambda *a, real=real, event=event: (events.append(event), real(*a))[1]
            )
        llm.generate([[1, 2, 3]], SamplingParams(max_tokens=3))
    assert events == (["run", "run", "see", "run", "see", "see"] if overlap else ["run", "see"] * 3)


@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("page_size", [1, 4])
def test_requests_that_come_and_go_at_any_time_do_not_disturb_each_other(
    page_size: int, overlap: bool
) -> None:
    eos = frozenset({wanted("qwen3")[0][3], wanted("qwen3")[4][5]})
    rng = random.Random(page_size)
    with small_llm(page_size=page_size, overlap=overlap, max_extend_tokens=7, eos_token_ids=eos) as llm:
        asked, got, aborted = play(llm.scheduler, rng, steps=100)
    assert len(aborted) > 3 and len(asked) - len(aborted) > 15
    for uid, (which, params) in asked.items():
        tokens = wanted("qwen3")[which][: params.max_tokens]
        end = next((i for i, t in enumerate(tokens) if t in eos and not params.ignore_eos), COUNT)
        seen = got[uid]
        assert [reply.token for reply in seen] == tokens[: len(seen) if uid in aborted else end + 1]
        last = [reply.finished for reply in seen]
        assert not any(last[:-1]) and (uid in aborted or last[-1])


def play(
    scheduler: Scheduler, rng: random.Random, steps: int
) -> tuple[dict[int, tuple[int, SamplingParams]], dict[int, list[NextToken]], set[int]]:
    """Requests and aborts between steps, then steps until nothing is left."""
    asked: dict[int, tuple[int, SamplingParams]] = {}
    got: dict[int, list[NextToken]] = {}
    aborted: set[int] = set()
    while steps > 0 or not scheduler.idle:
        steps -= 1
        if steps > 0 and rng.random() < 0.35:
            uid, which = len(asked), rng.randrange(len(PROMPTS))
            params = SamplingParams(max_tokens=rng.randint(1, COUNT), ignore_eos=rng.random() < 0.5)
            asked[uid], got[uid] = (which, params), []
            prompt = torch.tensor(PROMPTS[which], dtype=torch.int32)
            scheduler.add_request(scheduler.new_request(uid, prompt, params))
        if asked and rng.random() < 0.08:
            uid = rng.randrange(max(0, len(asked) - 4), len(asked))
            if not any(reply.finished for reply in got[uid]):
                aborted.add(uid)
            scheduler.abort(uid)
        for reply in scheduler.step():
            assert reply.uid not in aborted
            got[reply.uid].append(reply)
    return asked, got, aborted


def test_what_cannot_be_served_is_refused_and_nothing_is_queued() -> None:
    with small_llm(max_seq_len=20) as llm:
        for prompt, params, why in (
            ([], SamplingParams(), "1 to 19 tokens here, got 0"),
            ([1] * 20, SamplingParams(), "got 20"),
            ([1], SamplingParams(max_tokens=0), "at least 1"),
        ):
            with pytest.raises(ValueError, match=why):
                llm.generate([[1, 2], prompt], params)
        assert llm.scheduler.idle
        assert llm.generate([PROMPTS[2]], SamplingParams(max_tokens=50)) == [wanted("qwen3")[2][:11]]
