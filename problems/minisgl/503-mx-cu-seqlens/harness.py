"""Drivers that run beside the submission: what cannot be seen from outside, such as shared memory.

They only call your functions and hand back what they find; the comparison is made elsewhere.
"""

from __future__ import annotations

from typing import Any

import solution


def make_then_fill(reqs: list[Any], device: str, first: int, number: int) -> list[Any]:
    """Both results, each as it was before the other was written to: ``first`` says which is filled first."""
    results = list(solution.make_cu_seqlens(reqs, device))
    filled, other = results[first], results[1 - first]
    results[first] = filled.clone()
    filled.fill_(number)
    results[1 - first] = other.clone()
    return results


def make_twice(first: list[Any], second: list[Any], device: str) -> list[Any]:
    """The results of two calls, both as they are at the end."""
    return [solution.make_cu_seqlens(first, device), solution.make_cu_seqlens(second, device)]


def call_and_show_inputs(reqs: list[Any], device: str) -> dict[str, Any]:
    """What the two functions return, and the requests as they are after both."""
    path = solution.choose_path(reqs)
    return {"path": path, "sums": solution.make_cu_seqlens(reqs, device), "reqs": reqs}
