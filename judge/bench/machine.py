"""What this machine does of itself: the denominators of every figure. ``python -m judge.bench.machine``."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable

_MIB = 64
_SIZE = 512
_TRIES = 7


def examine() -> dict[str, float | int | str]:
    """Copying [GiB/s] and float32 matrix products [GFLOP/s] of one thread, with what they ran on."""
    import torch

    torch.set_num_threads(1)
    source = torch.ones(_MIB << 20, dtype=torch.uint8)
    target = torch.empty_like(source)
    square = torch.rand(_SIZE, _SIZE)
    copy_s = _best(lambda: target.copy_(source))
    matmul_s = _best(lambda: square @ square)
    return {
        "cpu": _cpu_name(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "load_1min": round(os.getloadavg()[0], 2),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "copy_gib_s": round(_MIB / 1024 / copy_s, 2),
        "matmul_gflop_s": round(2 * _SIZE**3 / matmul_s / 1e9, 1),
    }


def _best(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(_TRIES):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as info:
            names = [line.partition(":")[2].strip() for line in info if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    print(json.dumps(examine()))
