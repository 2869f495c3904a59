"""Messages as plain values, which a wire format such as msgpack can write, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import torch

TAG = "__type__"
_TENSOR = "Tensor"


def serialize_type(value: Any) -> Any:
    """``value`` in numbers, texts, bytes, lists, tuples and dicts alone; objects become dicts with a tag.

    TypeError for what is no plain value, container, tensor or dataclass; ValueError for a tensor that is not [n], or a
    dict that has the tag as a key.
    """
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if isinstance(value, list | tuple):
        return type(value)(map(serialize_type, value))
    if isinstance(value, dict):
        if TAG in value:
            raise ValueError(f"a dict with the key {TAG} would come back as an object; use another key")
        return {key: serialize_type(inner) for key, inner in value.items()}
    if isinstance(value, torch.Tensor):
        return _serialize_tensor(value)
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"cannot send a {type(value).__name__}; use a dataclass")
    inner = {one.name: serialize_type(getattr(value, one.name)) for one in fields(value)}
    return {TAG: type(value).__name__, **inner}


def _serialize_tensor(tensor: torch.Tensor) -> dict[str, Any]:
    if tensor.dim() != 1:
        raise ValueError(f"only tensors with one dimension can be sent, not {list(tensor.shape)}")
    octets = tensor.cpu().contiguous().view(torch.uint8)  # numpy knows no bfloat16
    return {TAG: _TENSOR, "buffer": octets.numpy().tobytes(), "dtype": str(tensor.dtype)}


def deserialize_type(classes: Mapping[str, type], data: Any) -> Any:
    """What `serialize_type` was given; ``data`` stays as it is. KeyError for a name that is not in ``classes``."""
    if isinstance(data, list | tuple):
        return type(data)(deserialize_type(classes, item) for item in data)
    if not isinstance(data, dict):
        return data
    if data.get(TAG) == _TENSOR:
        return _deserialize_tensor(data["buffer"], data["dtype"])
    inner = {key: deserialize_type(classes, value) for key, value in data.items() if key != TAG}
    return classes[data[TAG]](**inner) if TAG in data else inner


def _deserialize_tensor(buffer: bytes, dtype: str) -> torch.Tensor:
    made = torch.empty(len(buffer), dtype=torch.uint8)
    if buffer:  # frombuffer refuses an empty one
        made.copy_(torch.frombuffer(bytearray(buffer), dtype=torch.uint8))
    kind: torch.dtype = getattr(torch, dtype.removeprefix("torch."))
    return made.view(kind)
