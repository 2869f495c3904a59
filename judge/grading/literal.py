"""Values as Python source that makes them again with plain torch: for the file that reproduces a case."""

from __future__ import annotations

import base64
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import torch

from judge.grading.shown import COUNTED

WRITTEN_MAX = 1024  # numbers written out in one tensor; more are packed
ROW_CHARS = 100
_UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)


class NotWritable(Exception):
    """The value has no source: too long, or of a type that only lives in the cell."""


def source_of(value: object, room: int) -> str:
    """An expression over ``torch``, ``nan``, ``inf``, ``packed``, ``strided`` and ``support``, of at most ``room`` characters.

    Raises:
        NotWritable: see there.
    """
    text = _source(value, 0)
    if len(text) > room:
        raise NotWritable(f"{len(text)} characters")
    return text


def _source(value: object, depth: int) -> str:
    if depth > 8:
        raise NotWritable("nested too deep")
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if value is None or isinstance(value, bool | int | str | bytes):
        return repr(value)
    if isinstance(value, float):
        return repr(value)  # nan and inf are names in the file
    if isinstance(value, torch.dtype):
        return str(value)
    if isinstance(value, torch.device):
        return repr(str(value))
    if isinstance(value, list):
        return "[" + ", ".join(_source(one, depth + 1) for one in value) + "]"
    if isinstance(value, tuple):
        return "(" + "".join(f"{_source(one, depth + 1)}, " for one in value).rstrip(" ") + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_source(one, depth + 1)}" for key, one in value.items()) + "}"
    if is_dataclass(value) and not isinstance(value, type) and type(value).__module__ == "support":
        inner = (f"{one.name}={_source(getattr(value, one.name), depth + 1)}" for one in fields(value))
        return f"support.{type(value).__name__}({', '.join(inner)})"
    raise NotWritable(type(value).__name__)


def _tensor(tensor: torch.Tensor) -> str:
    tensor = tensor.detach()
    if tensor.device.type == "meta":
        return f"torch.empty({_shape(tensor)}, dtype={tensor.dtype}, device='meta')"
    if tensor.device.type != "cpu" or tensor.dtype not in COUNTED or tensor.dtype in _UNSIGNED:
        raise NotWritable(f"{tensor.dtype} on {tensor.device}")
    if tensor.numel() == 0:
        return f"torch.empty({_shape(tensor)}, dtype={tensor.dtype})"
    written = _written(tensor) if tensor.numel() <= WRITTEN_MAX else _packed(tensor)
    if tensor.is_contiguous() or not _apart(tensor):
        return written
    return f"strided({written}, {tuple(tensor.stride())})"


def _shape(tensor: torch.Tensor) -> str:
    return str(tuple(tensor.shape))


def _apart(tensor: torch.Tensor) -> bool:
    """Whether no two elements share memory, so that strides can be had again by a copy."""
    order = sorted(range(tensor.dim()), key=tensor.stride)
    reach = 0
    for axis in order:
        if tensor.shape[axis] > 1 and tensor.stride(axis) <= reach:
            return False
        reach += (tensor.shape[axis] - 1) * tensor.stride(axis)
    return True


def _written(tensor: torch.Tensor) -> str:
    return f"torch.tensor({_numbers(tensor, tensor.dtype)}, dtype={tensor.dtype})"


def _numbers(tensor: torch.Tensor, dtype: torch.dtype) -> str:
    if tensor.dim() == 0:
        return _number(tensor.item(), dtype)
    flat = tensor.dim() == 1
    inner = [_number(one, dtype) for one in tensor.tolist()] if flat else [_numbers(t, dtype) for t in tensor]
    line = f"[{', '.join(inner)}]"
    if flat or (len(line) <= ROW_CHARS and "\n" not in line):
        return line
    return "[\n" + ",\n".join(inner) + "]"


def _number(value: Any, dtype: torch.dtype) -> str:
    if not dtype.is_floating_point:
        return repr(value)
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if dtype is torch.bfloat16:
        return f"{value:.4g}"  # eight bits of it are kept, so four digits say all
    kind = {torch.float16: np.float16, torch.float32: np.float32}.get(dtype, np.float64)
    return str(kind(value))  # the shortest digits that make this number again


def _packed(tensor: torch.Tensor) -> str:
    raw = tensor.contiguous().flatten().view(torch.uint8).numpy().tobytes()
    return f"packed({base64.b64encode(raw).decode()!r}, {tensor.dtype}, {_shape(tensor)})"
