"""Everything that is slow or impossible inside a cell, done once in the zygote before any fork."""

from __future__ import annotations

import importlib
import sys
import time

# what learners import: a cell finds it loaded, or reads it slowly
_MODULES = [
    "asyncio",
    "concurrent.futures",
    "copy",
    "dataclasses",
    "heapq",
    "inspect",
    "json",
    "logging",
    "queue",
]
_MODULES += ["random", "statistics", "string", "textwrap", "threading", "traceback", "typing", "uuid"]
_CALIBRATION_SIZE, _CALIBRATION_ROUNDS, _CALIBRATION_TRIES = 192, 24, 5


def warm_up() -> dict[str, object]:
    """Import torch and run a little of everything with one thread. Returns facts: versions and ``calibration_s``."""
    for name in _MODULES:
        importlib.import_module(name)
    import torch

    torch.set_num_threads(1)  # before any op: a pool of libgomp's does not survive a fork
    import torch.func
    import torch.nn.functional
    import torch.optim
    import torch.testing

    _touch_numpy()
    _touch_torch()
    return {
        "python": ".".join(map(str, sys.version_info[:3])),
        "torch": torch.__version__,
        "calibration_s": _calibrate(),
    }


def _touch_numpy() -> None:
    try:
        importlib.import_module("numpy")
    except ImportError:
        return  # torch works without


def _touch_torch() -> None:
    """First uses import hundreds of modules (an optimiser's step: dynamo and sympy) or set up a library."""
    import torch
    from torch import nn
    from torch.nn import functional

    layer = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.GELU())
    optimizer = torch.optim.Adam(layer.parameters())
    layer(torch.ones(2, 8)).sum().backward()
    optimizer.step()
    heads = torch.ones(1, 2, 4, 8)
    functional.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
    nn.Conv2d(1, 1, 3)(torch.ones(1, 1, 8, 8))
    torch.linalg.svd(torch.eye(4))
    torch.fft.fft(torch.ones(8))
    torch.einsum("ij,jk->ik", torch.ones(2, 2), torch.ones(2, 2))
    torch.func.vmap(torch.func.grad(lambda x: (x * x).sum()))(torch.ones(2, 2))
    torch.testing.assert_close(torch.ones(1), torch.ones(1))
    repr(torch.ones(2))


def _calibrate() -> float:
    """CPU seconds that this machine needs for a fixed workload: the best of a few tries."""
    import torch

    size = _CALIBRATION_SIZE
    matrix = torch.linspace(-1.0, 1.0, size * size).reshape(size, size)
    best = float("inf")
    for _ in range(_CALIBRATION_TRIES):
        start = time.process_time()
        for _ in range(_CALIBRATION_ROUNDS):
            (matrix @ matrix).softmax(-1).cumsum(0).sort(-1)
        best = min(best, time.process_time() - start)
    return best
