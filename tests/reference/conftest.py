"""Each test of the reference starts without the engine's process-wide state."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from minisgl.core import reset_global_ctx
from minisgl.distributed import reset_tp_info, set_tp_info


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    """Threads that wait for each other make small operations a hundred times slower on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def single_rank() -> Iterator[None]:
    """Tensor-parallel rank 0 of 1, and no context, before and after."""
    reset_global_ctx()
    reset_tp_info()
    set_tp_info(0, 1)
    yield
    reset_global_ctx()
    reset_tp_info()
