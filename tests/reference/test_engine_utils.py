"""Arithmetic of pages and shards, index tensors, ranks, default dtype, logging."""

from __future__ import annotations

import logging

import pytest
import torch
from minisgl.attention.utils import make_cu_seqlens, pin
from minisgl.distributed import get_tp_info, reset_tp_info, set_tp_info
from minisgl.utils import align_up, device_capability, div_ceil, div_even, init_logger, torch_dtype

from tests.reference.small_engine import CPU


@pytest.mark.parametrize(("seqlens", "want"), [([6, 3, 1], [0, 6, 9, 10]), ([], [0]), ([1, 1], [0, 1, 2])])
def test_cu_seqlens_are_int32_running_sums(seqlens: list[int], want: list[int]) -> None:
    cu = make_cu_seqlens(seqlens, CPU, pin(CPU))
    assert cu.tolist() == want
    assert cu.dtype == torch.int32


def test_pinned_memory_is_for_cuda_only() -> None:
    assert pin(torch.device("cuda:1")) and not pin(CPU)
    assert device_capability(CPU) is None


def test_division_rounds_up_or_leaves_no_rest() -> None:
    assert [div_ceil(n, 4) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert [align_up(n, 32) for n in (0, 1, 32, 33)] == [0, 32, 32, 64]
    assert div_even(16, 4) == 4
    with pytest.raises(ValueError, match="10 cannot be divided evenly among 4"):
        div_even(10, 4)


def test_fewer_items_than_shares_are_replicated_on_request() -> None:
    assert div_even(8, 16, allow_replicate=True) == 1
    assert div_even(8, 4, allow_replicate=True) == 2
    for a, b, replicate in ((8, 16, False), (8, 12, True), (6, 4, True)):
        with pytest.raises(ValueError):
            div_even(a, b, allow_replicate=replicate)


def test_tp_info_is_told_once() -> None:
    info = get_tp_info()
    assert (info.rank, info.size, info.is_primary) == (0, 1, True)
    set_tp_info(0, 1)
    with pytest.raises(RuntimeError, match="already"):
        set_tp_info(1, 2)
    reset_tp_info()
    with pytest.raises(RuntimeError, match="set_tp_info"):
        get_tp_info()
    with pytest.raises(ValueError, match="rank 2 of 2"):
        set_tp_info(2, 2)


def test_the_default_dtype_comes_back_after_an_error() -> None:
    with pytest.raises(KeyError), torch_dtype(torch.bfloat16):
        assert torch.zeros(1).dtype == torch.bfloat16
        raise KeyError
    assert torch.zeros(1).dtype == torch.float32


def test_loggers_share_one_handler() -> None:
    package = logging.getLogger("minisgl")
    assert init_logger("minisgl.a").isEnabledFor(logging.INFO)
    handlers = list(package.handlers)
    assert handlers
    init_logger("minisgl.b")
    assert package.handlers == handlers and not package.propagate
