"""Objects that stay where they are: a submission's own in the cell (handles), the caller's in the grader (callbacks)."""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch

from .caps import MAX_HANDLES, Refused, WireError
from .decode import Decoder
from .encode import Encoder, issubclass_exactly, refusal
from .tensors import rebuild_argument, result_node
from .values import Classes, Node, type_module, type_name
from .wire import Frame

OWN_MODULES = ("solution", "support", "harness")
_VALUES = (torch.Tensor, int, float, complex, str, bytes, list, dict, tuple)
_CALLABLES = (types.FunctionType, types.MethodType, functools.partial)


Asker = Callable[[str, int, tuple[Any, ...], dict[str, Any]], Any]
"""Asks the grader to ``call`` or step (``next``) a callback, within the call that is running; gives its answer."""


class Objects:
    """The objects that the grader holds by number, and the callbacks that it gave us."""

    def __init__(self, ask: Asker) -> None:
        self._ask = ask
        self._kept: dict[int, object] = {}
        self._numbers = itertools.count(1)
        self._stand_ins: dict[int, object] = {}  # for the caller's functions and iterators, by their numbers
        self._stand_in_numbers: dict[int, int] = {}  # by identity

    def keep(self, value: object) -> int:
        """A new number for ``value``; raises Refused when too many are held."""
        if len(self._kept) >= MAX_HANDLES:
            raise Refused("too-big", type_name(type(value)))
        number = next(self._numbers)
        self._kept[number] = value
        return number

    def held(self, number: Node) -> Any:
        """The object with that number."""
        if number not in self._kept:
            raise WireError("unknown handle")
        return self._kept[number]

    def drop(self, numbers: list[int]) -> None:
        """Forgets what the grader has let go."""
        for number in numbers:
            self._kept.pop(number, None)

    def callback(self, number: int, kind: str) -> object:
        """The stand-in for the caller's function or iterator of that number."""
        if number not in self._stand_ins:
            made = _Iterator(self._ask, number) if kind == "iterator" else _function(self._ask, number)
            self._stand_ins[number] = made
            self._stand_in_numbers[id(made)] = number
        return self._stand_ins[number]

    def callback_number(self, value: object) -> int | None:
        """The number of a stand-in that comes back, or None for anything else."""
        return self._stand_in_numbers.get(id(value))


class _Iterator:
    """Stands for an iterator of the caller: each step asks the grader."""

    def __init__(self, ask: Asker, number: int) -> None:
        self._ask = ask
        self._number = number

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self._ask("next", self._number, (), {})


def _function(ask: Asker, number: int) -> Any:
    def callback(*args: Any, **kwargs: Any) -> Any:
        return ask("call", number, args, kwargs)

    return callback


class ResultEncoder(Encoder):
    """Encodes what the submission returned, or passes to a callback."""

    def __init__(self, classes: Classes, objects: Objects, groups: dict[int, int]) -> None:
        super().__init__(classes)
        self._objects = objects
        self._groups = dict(groups)  # storages by identity; the arguments' come first
        self._seen: list[torch.Tensor] = []  # keeps their storages, so that identities stay true
        self.kept: list[int] = []  # numbers of the handles in this message

    def tensor(self, value: Any) -> Node:
        """The node of a learner's tensor."""
        self._seen.append(value)
        return result_node(value, self._groups, self)

    def other(self, value: object) -> Node:
        """A callback that comes back, or a handle for an object of the submission's own."""
        if (number := self._objects.callback_number(value)) is not None:
            return ["k", number]
        if not _stays(value):
            raise refusal(type(value))
        self.kept.append(self._objects.keep(value))
        return ["h", self.kept[-1], type_name(type(value))]


def _stays(value: object) -> bool:
    """Whether a value is held by handle: an object or class of the submission's, a function, a generator."""
    cls = type(value)
    if issubclass_exactly(cls, _VALUES):
        return False
    if cls in _CALLABLES or cls is types.GeneratorType or type_module(cls) in OWN_MODULES:
        return True
    if isinstance(value, type):
        return type_module(value) in OWN_MODULES
    builtin_iterator = type_module(cls) in ("builtins", "itertools")
    return builtin_iterator and hasattr(cls, "__next__")


class ArgumentDecoder(Decoder):
    """Decodes what the grader sent: tensors over the message's storages, our own objects back, callbacks."""

    def __init__(self, frame: Frame, classes: Classes, objects: Objects, bases: list[torch.Tensor]) -> None:
        super().__init__(frame, classes)
        self._objects = objects
        self._bases = bases

    def tagged(self, tag: str, parts: list[Node]) -> Any:
        """A tensor, a handle or a callback."""
        if tag == "T":
            return rebuild_argument(parts, self._bases, self)
        if tag == "h":
            return self._objects.held(parts[0])
        if tag == "k":
            return self._objects.callback(*parts)
        return super().tagged(tag, parts)
