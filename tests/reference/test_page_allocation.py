"""Rows, pages and slots: what the scheduler owns after chapter 4."""

from __future__ import annotations

import pytest
import torch
from minisgl.kvcache import NaivePrefixCache
from minisgl.scheduler.cache import CacheManager
from minisgl.scheduler.table import TableManager

from tests.reference.small_engine import new_req


def new_manager(num_pages: int = 6, page_size: int = 4, width: int = 14) -> CacheManager:
    return CacheManager(num_pages, page_size, torch.full((3, width), -1, dtype=torch.int32))


def test_a_row_lists_token_slots_whatever_the_page_size() -> None:
    manager = new_manager()
    a, b = new_req(range(5), 0), new_req(range(3), 2)
    manager.allocate_paged([a, b])
    assert manager.page_table[0].tolist() == [*range(8), *[-1] * 6]
    assert manager.page_table[2, :4].tolist() == [8, 9, 10, 11]
    assert manager.out_loc([b, a]).tolist() == [8, 9, 10, 0, 1, 2, 3, 4]
    assert manager.available_size == 3 * 4


def test_the_last_page_is_filled_before_a_new_one_is_taken() -> None:
    manager = new_manager()
    req = new_req(range(3), 1)
    manager.allocate_paged([req])
    free, slots = [], []
    for _ in range(3):
        req.complete_one()
        req.append_host(torch.tensor([0]))
        manager.allocate_paged([req])
        free.append(manager.available_size)
        slots += manager.out_loc([req]).tolist()
    assert slots == [3, 4, 5]
    assert free == [20, 16, 16]  # the fourth token still fits the first page


def test_too_few_pages_change_nothing() -> None:
    manager = new_manager(num_pages=3)
    before = manager.page_table.clone()
    with pytest.raises(MemoryError, match="need 4 pages of the KV pool, 3 are free"):
        manager.allocate_paged([new_req(range(8), 0), new_req(range(5), 1)])
    assert manager.available_size == 12
    assert torch.equal(manager.page_table, before)
    manager.allocate_paged([new_req(range(8), 0), new_req(range(4), 1)])  # exactly all of them
    assert manager.available_size == 0


def test_freed_pages_come_back_last_and_once() -> None:
    manager = new_manager(num_pages=3)
    req = new_req(range(6), 0)
    manager.allocate_paged([req])
    manager.free(manager.page_table[0, :6])
    manager.page_table[0] = -1  # the free list must not be a view of the row
    manager.allocate_paged([new_req(range(12), 1)])
    assert manager.page_table[1, :12].tolist() == [8, 9, 10, 11, *range(8)]
    assert manager.available_size == 0


def test_a_row_may_end_within_the_last_page() -> None:
    manager = new_manager(width=6)
    manager.allocate_paged([new_req(range(6), 0), new_req(range(2), 1)])
    assert manager.page_table.tolist() == [[0, 1, 2, 3, 4, 5], [8, 9, 10, 11, -1, -1], [-1] * 6]


def test_what_is_freed_lazily_is_free_only_afterwards() -> None:
    manager = new_manager(num_pages=2, page_size=1)
    req = new_req(range(2), 0)
    manager.allocate_paged([req])
    with pytest.raises(KeyError), manager.lazy_free():
        manager.free(manager.page_table[0, :1])
        with manager.lazy_free():
            manager.free(manager.page_table[0, 1:2])
        assert manager.available_size == 0
        raise KeyError("a step failed")
    assert manager.available_size == 2
    manager.free(torch.tensor([], dtype=torch.int32))
    assert manager.available_size == 2


def test_rows_are_lent_and_returned_but_never_the_dummys() -> None:
    table = TableManager(2, torch.zeros((3, 8), dtype=torch.int32))
    rows = {table.allocate(), table.allocate()}
    assert rows == {0, 1} and table.dummy_row == 2 and table.available_size == 0
    with pytest.raises(MemoryError):
        table.allocate()
    table.free(1)
    assert table.allocate() == 1
    for row in (2, -1):
        with pytest.raises(ValueError, match="not lent"):
            table.free(row)
    table.free(0)
    with pytest.raises(ValueError, match="not lent"):
        table.free(0)
    with pytest.raises(ValueError, match="need 5"):
        TableManager(5, table.page_table)


def test_the_naive_prefix_cache_finds_and_keeps_nothing() -> None:
    cache = NaivePrefixCache()
    ids = torch.arange(4)
    known, handle = cache.insert_prefix(ids, ids)
    cache.lock_handle(handle)
    assert known == 0
    match = cache.match_prefix(ids)
    assert match.cached_len == 0 and match.matched_indices.numel() == 0
    assert cache.size_info == (0, 0)
    assert cache.evict(0).numel() == 0
    with pytest.raises(MemoryError, match="nothing is cached"):
        cache.evict(1)
