# expects: tuple-lost-back
"""Tuples are restored as lists."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import torch

TAG = "__type__"
PLAIN = (int, float, str, bytes, type(None))  # a bool is an int


def serialize(obj: Any) -> Any:
    """Turns a message into plain values alone."""
    if isinstance(obj, PLAIN):
        return obj
    if isinstance(obj, list | tuple):
        return type(obj)(serialize(item) for item in obj)
    if isinstance(obj, dict):
        if TAG in obj:
            raise ValueError(f"{TAG} is no key for a dict: it marks objects")
        return {key: serialize(value) for key, value in obj.items()}
    if isinstance(obj, torch.Tensor):
        return serialize_tensor(obj)
    if not is_dataclass(obj):
        raise TypeError(f"cannot send a {type(obj).__name__}")
    return {TAG: type(obj).__name__} | {
        field.name: serialize(getattr(obj, field.name)) for field in fields(obj)
    }


def serialize_tensor(tensor: torch.Tensor) -> dict[str, Any]:
    """dtype and the bytes of the elements, in their order; ValueError unless [n]."""
    if tensor.dim() != 1:
        raise ValueError(f"only tensors with one dimension are sent, not {tensor.dim()}")
    buffer = tensor.contiguous().view(torch.uint8).numpy().tobytes()
    return {TAG: "Tensor", "buffer": buffer, "dtype": str(tensor.dtype)}


def deserialize(cls_map: dict[str, type], data: Any) -> Any:
    """The inverse of serialize; KeyError for a class that is not in cls_map."""
    if isinstance(data, list | tuple):
        return [deserialize(cls_map, item) for item in data]
    if not isinstance(data, dict):
        return data
    if data.get(TAG) == "Tensor":
        return deserialize_tensor(data["buffer"], data["dtype"])
    values = {key: deserialize(cls_map, value) for key, value in data.items() if key != TAG}
    return cls_map[data[TAG]](**values) if TAG in data else values


def deserialize_tensor(buffer: bytes, dtype: str) -> torch.Tensor:
    """[n], in memory of its own."""
    kind = getattr(torch, dtype.removeprefix("torch."))
    if not buffer:  # frombuffer refuses one of length 0
        return torch.empty(0, dtype=kind)
    return torch.frombuffer(bytearray(buffer), dtype=kind)
