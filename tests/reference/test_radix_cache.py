"""The radix cache by itself; #193's model drives it through random operations in tests/problems."""

from __future__ import annotations

import pytest
import torch
from minisgl.kvcache.radix import RadixPrefixCache, common_len

CPU = torch.device("cpu")


def ids(*tokens: int) -> torch.Tensor:
    return torch.tensor(tokens, dtype=torch.int32)


def test_a_handle_holds_the_slots_of_its_match_in_order() -> None:
    cache = RadixPrefixCache(1, CPU)
    cache.insert_prefix(ids(1, 2, 3, 4), ids(10, 11, 12, 13))
    cached, handle = cache.insert_prefix(ids(1, 2, 5), ids(20, 21, 22))
    assert cached == 2 and handle.matched_indices.tolist() == [10, 11, 22]
    assert cache.match_prefix(ids(1, 9)).matched_indices.tolist() == [10]
    assert cache.match_prefix(ids(9)).matched_indices.dtype == torch.int32


def test_what_the_caller_does_with_its_tensors_afterwards_changes_nothing() -> None:
    cache = RadixPrefixCache(1, CPU)
    prompt, row = ids(1, 2), ids(10, 11)
    _, handle = cache.insert_prefix(prompt, row)
    for tensor in (prompt, row, handle.matched_indices):
        tensor.fill_(-1)
    assert cache.match_prefix(ids(1, 2)).matched_indices.tolist() == [10, 11]


def test_locked_tokens_are_not_evicted_and_counts_return_to_zero() -> None:
    cache = RadixPrefixCache(2, CPU)
    _, held = cache.insert_prefix(ids(1, 2, 3, 4), ids(10, 11, 12, 13))
    cache.lock_handle(held)
    half = cache.match_prefix(ids(1, 2, 9, 9))
    assert half.cached_len == 2 and cache.size_info == (0, 4)
    with pytest.raises(MemoryError):
        cache.evict(1)
    cache.lock_handle(held, unlock=True)
    assert cache.size_info == (4, 0)
    assert cache.evict(1).tolist() == [12, 13] and cache.evict(2).tolist() == [10, 11]
    assert cache.size_info == (0, 0)


def test_unlocking_what_is_not_locked_is_an_error() -> None:
    cache = RadixPrefixCache(1, CPU)
    _, handle = cache.insert_prefix(ids(1), ids(10))
    with pytest.raises(ValueError, match="more often than locked"):
        cache.lock_handle(handle, unlock=True)


@pytest.mark.parametrize(("a", "b", "want"), [((1, 2, 3), (1, 2), 2), ((1, 5), (1, 6), 1), ((), (1,), 0)])
def test_common_len(a: tuple[int, ...], b: tuple[int, ...], want: int) -> None:
    assert common_len(ids(*a), ids(*b)) == want
