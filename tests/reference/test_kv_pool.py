"""The KV pool: layout, writes, and its share under tensor parallelism."""

from __future__ import annotations

import pytest
import torch
from minisgl.distributed import reset_tp_info, set_tp_info
from minisgl.kvcache import MHAKVCache

from tests.reference.small_engine import CPU


def new_pool(num_kv_heads: int = 2, page_size: int = 4) -> MHAKVCache:
    return MHAKVCache(num_kv_heads, 3, 8, 5, page_size, torch.float32, CPU)


def test_a_slot_is_page_times_size_plus_offset() -> None:
    pool = new_pool()
    k, v = torch.randn(2, 2, 2, 8)
    pool.store_kv(k, v, torch.tensor([6, 19], dtype=torch.int32), 1)
    assert pool.k_cache(1).shape == (5, 4, 2, 8)
    assert torch.equal(pool.k_cache(1)[1, 2], k[0])
    assert torch.equal(pool.v_cache(1)[4, 3], v[1])


def test_a_write_touches_one_layer_and_the_listed_slots_only() -> None:
    pool = new_pool()
    for layer in range(3):
        pool.k_cache(layer).zero_()
        pool.v_cache(layer).zero_()
    ones = torch.ones(1, 2, 8)
    pool.store_kv(ones, 2 * ones, torch.tensor([7]), 2)
    assert pool.k_cache(2).sum() == 16 and pool.v_cache(2).sum() == 32
    assert not any(pool.k_cache(layer).any() or pool.v_cache(layer).any() for layer in (0, 1))


def test_views_of_a_joint_projection_are_written_as_they_are() -> None:
    pool = new_pool()
    k, v = torch.randn(3, 32).chunk(2, dim=1)
    pool.store_kv(k.view(3, 2, 8), v.view(3, 2, 8), torch.tensor([0, 5, 2]), 0)
    assert torch.equal(pool.k_cache(0).flatten(0, 1)[[0, 5, 2]].flatten(1), k)
    assert torch.equal(pool.v_cache(0).flatten(0, 1)[[0, 5, 2]].flatten(1), v)


@pytest.mark.parametrize("slot", [-1, 20])
def test_a_slot_outside_the_pool_is_refused(slot: int) -> None:
    x = torch.ones(1, 2, 8)
    with pytest.raises(IndexError):
        new_pool().store_kv(x, x, torch.tensor([slot]), 0)


def test_no_tokens_write_nothing() -> None:
    pool = new_pool()
    pool.k_cache(0).zero_()
    empty = torch.empty(0, 2, 8)
    pool.store_kv(empty, empty, torch.empty(0, dtype=torch.int32), 0)
    assert not pool.k_cache(0).any()


def test_it_tells_device_dtype_and_layers() -> None:
    pool = new_pool()
    assert (pool.device, pool.dtype, pool.num_layers) == (CPU, torch.float32, 3)


@pytest.mark.parametrize(("ranks", "heads"), [(1, 8), (4, 2), (8, 1), (16, 1)])
def test_each_rank_holds_its_share_of_the_heads(ranks: int, heads: int) -> None:
    reset_tp_info()
    set_tp_info(0, ranks)
    assert new_pool(num_kv_heads=8).k_cache(0).shape[2] == heads


def test_heads_that_do_not_divide_are_refused() -> None:
    reset_tp_info()
    set_tp_info(0, 3)
    with pytest.raises(ValueError, match="8 cannot be divided evenly among 3"):
        new_pool(num_kv_heads=8)
