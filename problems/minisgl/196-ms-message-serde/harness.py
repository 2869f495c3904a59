"""Drivers that run beside the submission: they build messages from descriptions, and describe what came back.

A description is a plain value in which ``{"$": class, ...}`` stands for an object. The comparison is made elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import solution
import torch

MARK = "$"


@dataclass
class SamplingParams:
    """As in the engine."""

    temperature: float = 0.0
    top_k: int = -1
    top_p: float = 1.0
    ignore_eos: bool = False
    max_tokens: int = 1024


class BaseMsg:
    """What all messages are."""


@dataclass
class UserMsg(BaseMsg):
    """A request on its way to the scheduler."""

    uid: int
    input_ids: Any
    sampling_params: Any


@dataclass
class AbortMsg(BaseMsg):
    """A request that is not wanted any more."""

    uid: int


@dataclass
class BatchMsg(BaseMsg):
    """Several messages in one."""

    data: Any
    extra: Any = None


@dataclass
class StatusMsg(BaseMsg):
    """A message with a field that older senders do not know."""

    uid: int
    counts: list[int] = field(default_factory=lambda: [0])


class Stranger:
    """No message, though it has attributes."""

    def __init__(self) -> None:
        self.uid = 1


KNOWN = {cls.__name__: cls for cls in (SamplingParams, UserMsg, AbortMsg, BatchMsg, StatusMsg)}
STRANGERS = {"set": {1, 2}, "complex": 1j, "object": Stranger(), "function": len}


def write(spec: Any) -> Any:
    """What serialize makes of a message."""
    return _plain(solution.serialize(_build(spec)))


def write_and_look(spec: Any) -> list[Any]:
    """What serialize makes of a message, what it makes of it again, and the message after that."""
    message = _build(spec)
    before = _names(message)
    made = [_plain(solution.serialize(message)) for _ in range(2)]
    return [*made, _describe(message), _names(message) == before]


def read(data: Any, names: list[str]) -> Any:
    """What deserialize makes of ``data``, with the classes of those names."""
    return _describe(solution.deserialize(_classes(names), data))


def read_and_overwrite(data: Any, names: list[str]) -> list[Any]:
    """What deserialize makes of ``data``; that again after its tensors were filled with 1; and ``data`` then."""
    found = []
    for _ in range(2):
        made = solution.deserialize(_classes(names), data)
        found.append(_describe(made))
        for tensor in _tensors(made):
            tensor.fill_(1)
    return [*found, data]


def there_and_back(spec: Any, names: list[str]) -> Any:
    """A message after serialize, a wire that knows no tuples, and deserialize."""
    data = _wire(_plain(solution.serialize(_build(spec))))
    return _describe(solution.deserialize(_classes(names), data))


def long_tensor(size: int) -> list[Any]:
    """The length of the bytes of ``size`` token ids, and some of the ids after the way back."""
    data = solution.serialize(torch.arange(size, dtype=torch.int32))
    back = solution.deserialize({}, data)
    return [len(data["buffer"]), back[:: size // 8].tolist()]


def _classes(names: list[str]) -> dict[str, type]:
    return {name: KNOWN[name] for name in names}


def _build(spec: Any) -> Any:
    if isinstance(spec, list | tuple):
        return type(spec)(map(_build, spec))
    if not isinstance(spec, dict):
        return spec
    if spec.get(MARK) == "Tensor":
        return _tensor(**{key: value for key, value in spec.items() if key != MARK})
    if spec.get(MARK) == "stranger":
        return STRANGERS[spec["kind"]]
    values = {key: _build(value) for key, value in spec.items() if key != MARK}
    return KNOWN[spec[MARK]](**values) if MARK in spec else values


def _tensor(dtype: str, values: Any, view: str = "plain") -> torch.Tensor:
    """A tensor of ``values``: by itself, or a view into a larger one."""
    made = torch.tensor(values, dtype=getattr(torch, dtype))
    if view == "step":
        return torch.stack([made, made.flip(0)], dim=1).flatten()[::2]
    if view == "column":
        return torch.stack([made.flip(0), made, made], dim=1)[:, 1]
    if view == "end":
        return torch.cat([made.flip(0), made])[len(made) :]
    return made


def _describe(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_describe, value))
    if isinstance(value, dict):
        return {key: _describe(inner) for key, inner in value.items()}
    if isinstance(value, torch.Tensor):
        return {MARK: "Tensor", "dtype": str(value.dtype).removeprefix("torch."), "values": value.tolist()}
    if type(value) in KNOWN.values():
        return {MARK: type(value).__name__} | {
            one.name: _describe(getattr(value, one.name, "missing")) for one in fields(value)
        }
    return _plain(value)


def _plain(value: Any) -> Any:
    """``value``, with a note in the place of what is not plain."""
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if value is None or isinstance(value, int | float | str | bytes):
        return value
    return {MARK: "not plain", "type": type(value).__name__}


def _wire(value: Any) -> Any:
    """What msgpack makes of plain values: tuples arrive as lists."""
    if isinstance(value, list | tuple):
        return list(map(_wire, value))
    if isinstance(value, dict):
        return {key: _wire(inner) for key, inner in value.items()}
    return value


def _names(value: Any) -> list[str]:
    """The attributes of an object and of those within it."""
    if isinstance(value, list | tuple):
        return [name for item in value for name in _names(item)]
    if isinstance(value, dict):
        return [name for item in value.values() for name in _names(item)]
    if is_dataclass(value):
        return [*vars(value), *(name for inner in vars(value).values() for name in _names(inner))]
    return []


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    inner: Any = value if isinstance(value, list | tuple) else []
    if isinstance(value, dict):
        inner = value.values()
    elif is_dataclass(value):
        inner = vars(value).values()
    return [tensor for one in inner for tensor in _tensors(one)]
