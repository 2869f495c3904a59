"""Values as short plain text: capped, without control characters, and never by a value's own ``__repr__``."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import fields, is_dataclass
from typing import Any

import torch

VALUE_MAX_CHARS = 2048
NUMBERS_MAX = 64
_HEAD = 8
_DEPTH_MAX = 6
COUNTED = frozenset(
    {
        *(torch.bool, torch.uint8, torch.uint16, torch.uint32, torch.uint64),
        *(torch.int8, torch.int16, torch.int32, torch.int64),
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128),
    }
)
"""The dtypes whose numbers can be read and compared; torch has others that it can only hold."""
_TYPE_NAMES = ("bool", "int", "float", "complex", "str", "bytes", "list", "tuple", "dict")


def clean(text: str, max_chars: int = VALUE_MAX_CHARS) -> str:
    """``text`` without control, direction-changing and unpaired surrogate characters, cut to ``max_chars``."""
    cut = text[:max_chars]
    if cut.isascii() and cut.isprintable():
        kept = cut
    else:
        kept = "".join(
            c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else "\ufffd" for c in cut
        )
    return kept + "…" if len(text) > max_chars else kept


def type_name(value: object) -> str:
    """The type of a received value from a fixed list of words; anything else is ``object``."""
    if isinstance(value, torch.Tensor):
        return "Tensor"
    if isinstance(value, torch.dtype | torch.device):
        return type(value).__name__
    if value is None:
        return "None"
    name = type(value).__name__
    return name if type(value).__module__ == "builtins" and name in _TYPE_NAMES else "object"


def number(value: Any) -> int | float | bool | str:
    """A Python number as JSON can hold it: nan, inf, complex and huge integers become text."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 53 else _integer(value)
    if isinstance(value, float) and math.isfinite(value):
        return value
    return str(value)


def describe(value: object, max_chars: int = VALUE_MAX_CHARS) -> str:
    """``value`` as text of at most about ``max_chars``; small tensors whole, large ones by shape and first numbers."""
    pieces: list[str] = []
    _write(value, pieces, [max_chars], _DEPTH_MAX)
    return clean("".join(pieces), max_chars)


def _write(value: object, out: list[str], room: list[int], depth: int) -> None:
    if room[0] <= 0:
        return
    if isinstance(value, list | tuple) and depth:
        opening, closing = ("[", "]") if isinstance(value, list) else ("(", ")")
        _put(out, room, opening)
        for i, item in enumerate(value):
            if room[0] <= 0:
                break
            _put(out, room, ", " if i else "")
            _write(item, out, room, depth - 1)
        _put(out, room, ("," if isinstance(value, tuple) and len(value) == 1 else "") + closing)
    elif isinstance(value, dict) and depth:
        _put(out, room, "{")
        for i, (key, item) in enumerate(value.items()):
            if room[0] <= 0:
                break
            _put(out, room, f"{', ' if i else ''}{_scalar(key)}: ")
            _write(item, out, room, depth - 1)
        _put(out, room, "}")
    elif is_dataclass(value) and not isinstance(value, type) and depth:
        _put(out, room, f"{type(value).__name__}(")
        for i, one in enumerate(fields(value)):
            _put(out, room, f"{', ' if i else ''}{one.name}=")
            _write(getattr(value, one.name), out, room, depth - 1)
        _put(out, room, ")")
    else:
        _put(out, room, _tensor(value) if isinstance(value, torch.Tensor) else _scalar(value))


def _put(out: list[str], room: list[int], text: str) -> None:
    out.append(text)
    room[0] -= len(text)


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return repr(clean(value))
    if isinstance(value, bytes):
        return repr(value[:NUMBERS_MAX]) + ("…" if len(value) > NUMBERS_MAX else "")
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float | complex | torch.dtype | torch.device):
        return str(value)
    return {"list": "[…]", "tuple": "(…)", "dict": "{…}"}.get(type_name(value), "<object>")


def _integer(value: int) -> str:
    return str(value) if value.bit_length() < 200 else f"{hex(value >> (value.bit_length() - 64))}…"


def _tensor(tensor: torch.Tensor) -> str:
    dtype = str(tensor.dtype).removeprefix("torch.")
    where = "" if tensor.device.type == "cpu" else f", device={tensor.device}"
    if tensor.device.type == "meta" or tensor.dtype not in COUNTED:
        return f"tensor(shape={list(tensor.shape)}, dtype={dtype}{where})"
    if tensor.numel() <= NUMBERS_MAX and tensor.dim() <= 4:
        empty = f", shape={list(tensor.shape)}" if tensor.numel() == 0 and tensor.dim() > 1 else ""
        return f"tensor({_numbers(tensor.tolist())}{empty}, dtype={dtype}{where})"
    head = ", ".join(_digits(x) for x in tensor.detach().flatten()[:_HEAD].tolist())
    return f"tensor(shape={list(tensor.shape)}, dtype={dtype}{where}, [{head}, …])"


def _numbers(value: Any) -> str:
    return (
        "[" + ", ".join(_numbers(item) for item in value) + "]" if isinstance(value, list) else _digits(value)
    )


def _digits(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float | complex) else str(value)
