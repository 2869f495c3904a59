"""Who is admitted to a prefill batch, and how a request's pages go over to the prefix cache."""

from __future__ import annotations

import pytest
import torch
from minisgl.core import Req, SamplingParams
from minisgl.scheduler import (
    CacheManager,
    ChunkedReq,
    DecodeManager,
    PendingReq,
    PrefillManager,
    TableManager,
)

WIDTH = 64


def new_manager(num_pages: int, page_size: int = 1, rows: int = 3, kind: str = "radix") -> PrefillManager:
    page_table = torch.full((rows + 1, WIDTH), -1, dtype=torch.int32)
    cache = CacheManager(num_pages, page_size, page_table, kind)
    return PrefillManager(cache, TableManager(rows, page_table), DecodeManager(page_size))


def ask(manager: PrefillManager, *prompts: range, output_len: int = 4) -> None:
    for prompt in prompts:
        ids = torch.tensor(prompt, dtype=torch.int32)
        manager.add_one_req(PendingReq(len(manager.pending_list), ids, SamplingParams(), output_len))


def launch(manager: PrefillManager, budget: int) -> list[tuple[int, int, bool]]:
    """Schedules and pretends to run: (cached_len, device_len before the run, whether it is a chunk) of each."""
    batch = manager.schedule_next_batch(budget)
    if batch is None:
        return []
    manager.cache_manager.allocate_paged(batch.reqs)
    told = [(req.cached_len, req.device_len, isinstance(req, ChunkedReq)) for req in batch.reqs]
    for req in batch.reqs:
        req.complete_one()
    manager.decode_manager.filter_reqs(batch.reqs)
    return told


def test_a_long_prompt_is_cut_to_the_budget_and_goes_on_first() -> None:
    manager = new_manager(100)
    ask(manager, range(3), range(10), range(2))
    assert launch(manager, 5) == [(0, 3, False), (0, 2, True)]
    assert launch(manager, 5) == [(2, 7, True)]
    assert manager.table_manager.available_size == 1  # a chunk keeps its row
    assert launch(manager, 5) == [(7, 10, False), (0, 2, False)]
    assert launch(manager, 5) == [] and not manager.runnable


def test_who_does_not_fit_holds_up_those_behind() -> None:
    manager = new_manager(20)
    ask(manager, range(10), range(20, 30), range(50, 52))
    assert launch(manager, 100) == [(0, 10, False)]
    assert launch(manager, 100) == []  # 4 of 10 slots are promised to the first: 14 do not fit, 6 would
    assert len(manager.pending_list) == 2


@pytest.mark.parametrize(("num_pages", "admitted"), [(14, 1), (13, 0)])
def test_a_request_is_admitted_if_it_fits_exactly(num_pages: int, admitted: int) -> None:
    manager = new_manager(num_pages)
    ask(manager, range(10))
    assert len(launch(manager, 100)) == admitted


def test_what_a_chunk_will_need_is_promised_in_every_round() -> None:
    manager = new_manager(20)
    ask(manager, range(10), range(30, 33))
    assert launch(manager, 6) == [(0, 6, True)]
    # 14 slots are free, 8 of them the chunk's: 7 for the second do not fit
    assert launch(manager, 6) == [(6, 10, False)]
    assert manager.cache_manager.available_size == 10


def test_promises_count_whole_pages() -> None:
    manager = new_manager(7, page_size=4)
    ask(manager, range(6), range(20, 26), output_len=3)  # 9 tokens are three pages each
    assert len(launch(manager, 100)) == 2
    manager = new_manager(5, page_size=4)
    ask(manager, range(6), range(20, 26), output_len=3)
    assert len(launch(manager, 100)) == 1


def test_running_requests_are_promised_the_page_that_they_will_begin() -> None:
    manager = new_manager(4, page_size=4)
    ask(manager, range(4), range(20, 24), output_len=2)
    assert len(launch(manager, 100)) == 2
    ask(manager, range(40, 43), output_len=1)
    assert (
        launch(manager, 100) == []
    )  # two pages are free, and each of the two begins one with its next token


def finished_once(manager: PrefillManager, prompt: range) -> Req:
    """Runs a prompt's prefill and hands its pages over."""
    ask(manager, prompt, output_len=1)
    batch = manager.schedule_next_batch(1000)
    assert batch is not None
    (req,) = batch.reqs
    manager.cache_manager.allocate_paged(batch.reqs)
    req.complete_one()
    req.append_host(torch.tensor([99]))
    manager.table_manager.free(req.table_idx)
    manager.cache_manager.cache_req(req, finished=True)
    return req


def test_a_row_begins_with_the_cached_slots_and_leaves_the_last_token_to_compute() -> None:
    manager = new_manager(40, page_size=2)
    finished_once(manager, range(9))
    assert manager.cache_manager.prefix_cache.size_info == (8, 0)
    ask(manager, range(8), range(12))
    assert launch(manager, 100) == [(6, 8, False), (8, 12, False)]
    assert manager.cache_manager.prefix_cache.size_info == (0, 8)
    table = manager.table_manager.page_table
    rows = sorted(req.table_idx for req in manager.decode_manager.running_reqs)
    assert all(table[row, :6].tolist() == list(range(6)) for row in rows)


def test_locking_a_match_is_counted_before_a_request_is_admitted() -> None:
    manager = new_manager(10)
    finished_once(manager, range(8))  # 8 cached, 2 free
    ask(manager, range(8), output_len=4)
    # the match of 7 leaves 1 + 4 to find; 10 are available before the lock, 3 after it
    assert launch(manager, 100) == []
    assert manager.cache_manager.prefix_cache.size_info == (8, 0)
    assert manager.table_manager.available_size == 3


def test_two_equal_prompts_of_one_batch_end_up_on_the_same_pages() -> None:
    manager = new_manager(40, page_size=2)
    cache, table = manager.cache_manager, manager.table_manager.page_table
    ask(manager, range(7), range(7))
    batch = manager.schedule_next_batch(100)
    assert batch is not None
    cache.allocate_paged(batch.reqs)
    first, second = batch.reqs
    before = table[second.table_idx, :7].tolist()
    for req in batch.reqs:
        req.complete_one()
        req.append_host(torch.tensor([50]))
        cache.cache_req(req, finished=False)
    assert set(before).isdisjoint(table[first.table_idx, :7].tolist())
    # rewritten, since the duplicates were freed; the half page is its own
    assert table[second.table_idx, :6].tolist() == table[first.table_idx, :6].tolist()
    assert table[second.table_idx, 6] == before[6]
    assert cache.available_size == 80 - 6 - 2 * 2
    for req in batch.reqs:
        cache.cache_req(req, finished=True)
    cache.check_integrity()


def test_pages_are_evicted_when_free_ones_do_not_suffice() -> None:
    manager = new_manager(10)
    finished_once(manager, range(8))
    req = finished_once(manager, range(20, 29))
    assert req.cached_len == 9
    manager.cache_manager.check_integrity()
    with pytest.raises(MemoryError, match="need 11 pages of the KV pool, 10 are free"):
        manager.cache_manager.allocate_paged([Req(torch.zeros(11).int(), 0, 0, 1, 0, SamplingParams(), None)])


def test_a_lost_page_is_noticed() -> None:
    manager = new_manager(10)
    manager.cache_manager.allocate_paged([Req(torch.zeros(1).int(), 0, 0, 1, 0, SamplingParams(), None)])
    with pytest.raises(RuntimeError, match="9 free, 0 cached, 10 in all"):
        manager.cache_manager.check_integrity()
