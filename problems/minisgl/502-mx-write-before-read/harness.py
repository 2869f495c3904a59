"""Drivers that run beside the submission: the pools as a layer leaves them, and several rounds over one pool.

They only call your functions and hand back what they find; the comparison is made elsewhere.
"""

from __future__ import annotations

from typing import Any

import solution

NAMES = ("q", "k", "v", "out_loc", "k_pool", "v_pool", "meta")


def layer(*call: Any) -> dict[str, Any]:
    """The result of one call, and every argument as it is after it."""
    out = solution.attn_layer(*call)
    return {"out": out, **dict(zip(NAMES, call, strict=True))}


def rounds(calls: list[list[Any]], k_pool: Any, v_pool: Any) -> list[Any]:
    """The results of several rounds over the same pools; each call is ``[q, k, v, out_loc, meta]``."""
    return [solution.attn_layer(*call[:4], k_pool, v_pool, call[4]) for call in calls]
