"""Values to nodes. Runs beside hostile objects: asks for exact types and uses base-class methods alone."""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import torch

from .caps import MAX_DATA_BYTES, MAX_DEPTH, MAX_INT, MAX_INT_BITS, MAX_ITEMS, MAX_TENSORS, Refused
from .values import (
    DTYPE_NAMES,
    INLINE,
    INT64,
    Classes,
    Node,
    are_integer_tuples,
    are_integers,
    clean,
    type_module,
    type_name,
)
from .wire import Frame

_VALUE_BASES = (torch.Tensor, int, float, complex, str, bytes, list, dict, tuple)


def refusal(cls: type) -> Refused:
    """Why a value of this class cannot cross."""
    if type_module(cls).partition(".")[0] == "numpy":
        return Refused("numpy", type_name(cls))
    if issubclass_exactly(cls, _VALUE_BASES):
        return Refused("subclass", type_name(cls))
    return Refused("type", type_name(cls))


def issubclass_exactly(cls: type, bases: tuple[type, ...]) -> bool:
    """``issubclass`` by the real bases alone: no ``__subclasscheck__``, no ABC registration, no changed metaclass."""
    return any(base in bases for base in type.__dict__["__mro__"].__get__(cls))


class Encoder:
    """Encodes the values of one message: nodes are returned, text and pieces gather in ``frame``.

    Raises Refused for what must not cross; subclasses say what tensors and other objects become.
    """

    def __init__(self, classes: Classes) -> None:
        self.frame = Frame({})
        self.path: list[object] = []  # from the message's root to the current value: index, key or field
        self._classes = {cls: name for name, cls in classes.items()}
        self._items = 0
        self._tensors = 0
        self._bytes_left = MAX_DATA_BYTES
        self._open: set[int] = set()  # ids of the containers around the current value

    def encode(self, value: object) -> Node:
        """The node of ``value``."""
        cls = type(value)
        if value is None or cls is bool:
            return value
        if (simple := self._SIMPLE.get(cls)) is not None:
            return simple(self, value)
        if cls is torch.Tensor or cls is torch.nn.Parameter:
            self._tensors += 1
            if self._tensors > MAX_TENSORS:
                raise Refused("too-big", "Tensor")
            return self.tensor(value)
        if (container := self._container(cls)) is not None:
            return self._nested(value, container)
        return self.other(value)

    def tensor(self, value: Any) -> Node:
        """The node of a plain tensor or Parameter."""
        raise NotImplementedError

    def other(self, value: object) -> Node:
        """The node of anything else; by default it is refused."""
        raise refusal(type(value))

    def take_bytes(self, nbytes: int) -> None:
        """Counts data against the cap."""
        self._bytes_left -= nbytes
        if self._bytes_left < 0:
            raise Refused("too-big")

    def _container(self, cls: type) -> Callable[[Encoder, Any], Node] | None:
        if (known := self._NESTED.get(cls)) is not None:
            return known
        if cls in self._classes:
            return Encoder._dataclass
        record = issubclass_exactly(cls, (tuple,)) and (
            "_fields" in type.__dict__["__dict__"].__get__(cls) or type_module(cls) == "torch.return_types"
        )
        return Encoder._tuple if record else None

    def _nested(self, value: object, inner: Callable[[Encoder, Any], Node]) -> Node:
        if id(value) in self._open:
            raise Refused("cyclic", type_name(type(value)))
        if len(self._open) >= MAX_DEPTH:
            raise Refused("too-deep", type_name(type(value)))
        self._open.add(id(value))
        node = inner(self, value)
        self._open.remove(id(value))
        return node

    def _count(self, length: int) -> None:
        self._items += length
        if self._items > MAX_ITEMS:
            raise Refused("too-big")

    def _children(self, tag: str, pairs: Iterable[tuple[object, object]], length: int) -> list[Node]:
        self._count(length)
        node: list[Node] = [tag]
        for place, value in pairs:
            self.path.append(place)
            node.append(self.encode(value))
            self.path.pop()
        return node

    def _list(self, value: list[object]) -> Node:
        return self._sequence("l", list.copy(value))

    def _tuple(self, value: tuple[object, ...]) -> Node:
        return self._sequence("t", list(tuple.__iter__(value)))

    def _sequence(self, tag: str, items: list[Any]) -> Node:
        if are_integers(items):  # as long ones mostly are: no step for each
            self._count(len(items))
            return [tag, *items]
        if are_integer_tuples(items) and len(self._open) < MAX_DEPTH:  # a batch's requests are such a table
            self._count(len(items) + sum(map(len, items)))
            return [tag, *(["t", *item] for item in items)]
        return self._children(tag, enumerate(items), len(items))

    def _dict(self, value: dict[object, object]) -> Node:
        length = dict.__len__(value)
        if length > MAX_ITEMS:
            raise Refused("too-big")
        pairs = {_key(key): inner for key, inner in dict.items(value)}
        if len(pairs) != length:  # two keys became one by cleaning
            raise Refused("key", "str")
        keys = [self.encode(key) for key in pairs]
        return ["d", *keys, *self._children("d", pairs.items(), length)[1:]]

    def _dataclass(self, value: object) -> Node:
        names = [found.name for found in dataclasses.fields(type(value))]  # type: ignore[arg-type]
        try:
            pairs = [(name, object.__getattribute__(value, name)) for name in names]
        except AttributeError:
            raise Refused("type", type_name(type(value))) from None
        node = self._children("D", pairs, len(pairs))
        return ["D", self._classes[type(value)], names, *node[1:]]

    def _int(self, value: int) -> Node:
        if value in INT64:
            return value
        if value.bit_length() > MAX_INT_BITS or not -MAX_INT < value < MAX_INT:
            raise Refused("int", "int")
        return ["i", hex(value)]

    def _float(self, value: float) -> Node:
        return value if math.isfinite(value) else ["f", repr(value)]

    def _complex(self, value: complex) -> Node:
        return ["c", value.real.hex(), value.imag.hex()]

    def _str(self, value: str) -> Node:
        if INLINE.fullmatch(value):
            return value
        self.take_bytes(len(value))  # before any copy is made
        data = clean(value).encode("utf-8")
        self.take_bytes(len(data) - len(value) if len(data) > len(value) else 0)
        self.frame.text += data
        return ["s", len(data)]

    def _bytes(self, value: bytes) -> Node:
        self.take_bytes(len(value))
        self.frame.text += value
        return ["b", len(value)]

    def _size(self, value: torch.Size) -> Node:
        numbers = list(tuple.__iter__(value))
        if len(numbers) > MAX_ITEMS or any(type(n) is not int or n not in INT64 for n in numbers):
            raise Refused("type", "Size")
        self._items += len(numbers)
        return ["z", *numbers]

    def _dtype(self, value: torch.dtype) -> Node:
        return ["y", DTYPE_NAMES[value]]

    def _device(self, value: torch.device) -> Node:
        return ["v", str(value)]

    _SIMPLE: ClassVar[dict[type, Callable[[Encoder, Any], Node]]] = {
        int: _int,
        float: _float,
        complex: _complex,
        str: _str,
        bytes: _bytes,
        torch.Size: _size,
        torch.dtype: _dtype,
        torch.device: _device,
    }
    _NESTED: ClassVar[dict[type, Callable[[Encoder, Any], Node]]] = {
        list: _list,
        tuple: _tuple,
        dict: _dict,
        collections.OrderedDict: _dict,
        collections.defaultdict: _dict,
    }


def _key(key: object) -> str | int:
    if type(key) is str:
        return clean(key)
    if type(key) is int and key in INT64:  # longer ones may be chosen to collide
        return key
    raise Refused("key", type_name(type(key)))
