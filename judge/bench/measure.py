"""Numbers out of repeated timings."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

Numbers = dict[str, Any]
FOLDER = "JUDGE_BENCH_PROBLEM"
"""The variable that tells the plugin `judge.bench.inprocess` of its problem."""


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest of ``values`` that at least ``share`` of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def summary(seconds: Sequence[float]) -> Numbers:
    """Median, 95th percentile and minimum of timings in seconds, and how many there were."""
    return {
        "p50_s": round(quantile(seconds, 0.5), 6),
        "p95_s": round(quantile(seconds, 0.95), 6),
        "min_s": round(min(seconds), 6),
        "runs": len(seconds),
    }


def timed(work: Callable[[], object]) -> float:
    """Wall seconds of ``work``."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
