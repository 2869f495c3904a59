"""Nodes to values: strict, so that whatever a hostile cell writes becomes a plain value or a WireError."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import torch

from .caps import MAX_DEPTH, MAX_INT, MAX_ITEMS, WireError
from .values import BIG_INT, DEVICE, DTYPES, INLINE, INT64, Classes, Node, are_integer_tuples, are_integers
from .wire import Frame


class Decoder:
    """Decodes the values of one frame, in the order in which they were encoded; ``finish`` says that all was used.

    Text and pieces are taken in turn, so no two values share received bytes. Subclasses know tensors, handles and
    callbacks by their tags.
    """

    def __init__(self, frame: Frame, classes: Classes) -> None:
        self.path: list[object] = []  # from the message's root to the current value: index, key or field
        self._classes = classes
        self._text = memoryview(frame.text)
        self._pieces = iter(frame.pieces)
        self._items = 0
        self._depth = 0

    def decode(self, node: Node) -> Any:
        """The value of ``node``; raises WireError."""
        if node is None or type(node) is bool:
            return node
        if type(node) is int and node in INT64:
            return node
        if type(node) is float and math.isfinite(node):
            return node
        if type(node) is str and INLINE.fullmatch(node):
            return node
        if type(node) is list and node and type(node[0]) is str:
            return self._tagged(node[0], node[1:])
        raise WireError("bad node")

    def finish(self) -> None:
        """Raises WireError unless every received byte was used."""
        if len(self._text) or next(self._pieces, None) is not None:
            raise WireError("data left over")

    def tagged(self, tag: str, _parts: list[Node]) -> Any:
        """The value of a tag that plain values do not have."""
        raise WireError(f"unknown tag {tag[:8]!r}")

    def take_piece(self) -> torch.Tensor:
        """The next piece, uint8 [bytes]."""
        piece = next(self._pieces, None)
        if piece is None:
            raise WireError("piece missing")
        return piece

    def _tagged(self, tag: str, parts: list[Node]) -> Any:
        if (simple := self._SIMPLE.get(tag)) is not None:
            if len(parts) != _ARITY[tag]:
                raise WireError(f"bad node {tag}")
            return simple(self, *parts)
        if (container := self._NESTED.get(tag)) is None:
            return self.tagged(tag, parts)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise WireError("too deep")
        self._count(len(parts))
        value = container(self, parts)
        self._depth -= 1
        return value

    def _child(self, place: object, node: Node) -> Any:
        self.path.append(place)
        value = self.decode(node)
        self.path.pop()
        return value

    def _list(self, parts: list[Node]) -> list[Any]:
        if are_integers(parts):  # as long ones mostly are: no step for each
            return parts
        if (rows := self._integer_tuples(parts)) is not None:
            return rows
        return [self._child(place, node) for place, node in enumerate(parts)]

    def _tuple(self, parts: list[Node]) -> tuple[Any, ...]:
        return tuple(self._list(parts))

    def _integer_tuples(self, parts: list[Node]) -> list[Any] | None:
        """The values of a list of tuples of integers, in one step as it was encoded; None for any other list."""
        if {*map(type, parts)} != {list} or not all(part and type(part[0]) is str for part in parts):
            return None
        if {part[0] for part in parts} != {"t"} or self._depth >= MAX_DEPTH:
            return None
        rows = [tuple(part[1:]) for part in parts]
        if not are_integer_tuples(rows):
            return None
        self._count(sum(map(len, rows)))
        return rows

    def _count(self, length: int) -> None:
        self._items += length
        if self._items > 2 * MAX_ITEMS:  # a dict's keys are counted here, too
            raise WireError("too many")

    def _dict(self, parts: list[Node]) -> dict[str | int, Any]:
        half = len(parts) // 2
        if len(parts) != 2 * half:
            raise WireError("dict without a value")
        keys = [self.decode(node) for node in parts[:half]]
        good = all(type(key) is str or (type(key) is int and key in INT64) for key in keys)
        if not good or len(set(keys)) != half:
            raise WireError("bad or repeated key")
        return {key: self._child(key, node) for key, node in zip(keys, parts[half:], strict=True)}

    def _dataclass(self, parts: list[Node]) -> Any:
        if len(parts) < 2 or type(parts[0]) is not str or (cls := self._classes.get(parts[0])) is None:
            raise WireError("unknown dataclass")
        names = list(cls.__dataclass_fields__)  # type: ignore[attr-defined]
        if parts[1] != names or len(parts) != 2 + len(names):
            raise WireError("fields do not match")
        value: Any = object.__new__(cls)  # no __init__: fields arrive as they were, and run no code
        for name, node in zip(names, parts[2:], strict=True):
            object.__setattr__(value, name, self._child(name, node))
        return value

    def take_text(self, length: Node) -> bytes:
        """The next ``length`` bytes of the text."""
        if type(length) is not int or not 0 <= length <= len(self._text):
            raise WireError("bad length")
        data, self._text = bytes(self._text[:length]), self._text[length:]
        return data

    def _str(self, length: Node) -> str:
        try:
            return self.take_text(length).decode("utf-8")
        except UnicodeDecodeError:
            raise WireError("bad text") from None

    def _int(self, text: Node) -> int:
        if type(text) is not str or not BIG_INT.fullmatch(text):
            raise WireError("bad int")
        value = int(text, 16)
        if not -MAX_INT < value < MAX_INT:
            raise WireError("int too long")
        return value

    def _float(self, text: Node) -> float:
        if text not in ("nan", "inf", "-inf"):
            raise WireError("bad float")
        return float(text)

    def _complex(self, real: Node, imag: Node) -> complex:
        if not all(type(part) is str and len(part) <= 40 for part in (real, imag)):
            raise WireError("bad complex")
        try:
            return complex(float.fromhex(real), float.fromhex(imag))
        except (ValueError, OverflowError):
            raise WireError("bad complex") from None

    def dtype(self, name: Node) -> torch.dtype:
        """A torch dtype by its name."""
        if type(name) is not str or name not in DTYPES:
            raise WireError("bad dtype")
        return DTYPES[name]

    def device(self, text: Node) -> torch.device:
        """A device; it need not exist on this machine."""
        if type(text) is not str or not DEVICE.fullmatch(text):
            raise WireError("bad device")
        return torch.device(text)

    def _size(self, parts: list[Node]) -> torch.Size:
        return torch.Size(self.integers(parts))

    def integers(self, parts: Node) -> list[int]:
        """A list of 64-bit ints."""
        if type(parts) is not list or (parts and not are_integers(parts)):
            raise WireError("bad integers")
        return parts

    _SIMPLE: ClassVar[dict[str, Callable[..., Any]]] = {
        "i": _int,
        "f": _float,
        "c": _complex,
        "s": _str,
        "b": take_text,
        "y": dtype,
        "v": device,
    }
    _NESTED: ClassVar[dict[str, Callable[[Decoder, list[Node]], Any]]] = {
        "l": _list,
        "t": _tuple,
        "d": _dict,
        "z": _size,
        "D": _dataclass,
    }


_ARITY = {"i": 1, "f": 1, "c": 2, "s": 1, "b": 1, "y": 1, "v": 1}
