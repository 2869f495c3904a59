"""Drivers that run beside the submission: what cannot be seen from outside, such as shared storage.

They only call your function and hand back what they find; the comparison is made elsewhere.
"""

from __future__ import annotations

from typing import Any

import solution
import torch


def on_meta(shapes: list[list[int]], dtype: torch.dtype) -> Any:
    """The result for inputs without data: q and two pools of ``dtype``, then table and lengths in int32."""
    floats = [torch.empty(shape, dtype=dtype, device="meta") for shape in shapes[:3]]
    whole = [torch.empty(shape, dtype=torch.int32, device="meta") for shape in shapes[3:]]
    return solution.decode_attention(*floats, *whole)


def call_then_overwrite(call: list[torch.Tensor], new: list[torch.Tensor]) -> Any:
    """The output, as it is after the next round wrote ``new`` over all inputs."""
    out = solution.decode_attention(*call)
    for old, cells in zip(call, new, strict=True):
        old.copy_(cells)
    return out


def call_and_show_inputs(call: list[torch.Tensor]) -> dict[str, Any]:
    """The result of a call, and the arguments as they are after it."""
    return {"out": solution.decode_attention(*call), "inputs": call}


def call_twice(first: list[torch.Tensor], second: list[torch.Tensor]) -> list[Any]:
    """The outputs of two calls, both as they are at the end."""
    return [solution.decode_attention(*first), solution.decode_attention(*second)]
