"""What the grader writes to a cell and makes of what it reads: tensors with their facts, handles and callbacks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.cell.caps import MAX_TENSORS, Refused
from sandbox.cell.decode import Decoder
from sandbox.cell.encode import Encoder, refusal
from sandbox.cell.tensors import Received, Storages, argument_node, receive_result
from sandbox.cell.values import Classes, Node, clean
from sandbox.cell.wire import Frame
from sandbox.proxy import Handle, TensorFacts, set_facts

_MAX_KEY = 60  # characters of a key in the name of a place
_MAX_ID = 1 << 53

Place = tuple[Any, ...]
"""Where a tensor is, as `place_name` takes it: ``argument`` or ``result``, then indices, keys and fields."""


class Callbacks:
    """The functions and iterators that a cell may use, by number; numbers are never used again."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._known: dict[int, object] = {}
        self._by_identity: dict[int, int] = {}

    def number(self, value: object) -> int:
        """The number of a callback, new or known."""
        if id(value) not in self._by_identity:
            number = self._by_identity[id(value)] = next(self._numbers)
            self._known[number] = value
        return self._by_identity[id(value)]

    def get(self, number: object) -> Any:
        """The callback of that number; None when it belongs to an earlier case or does not exist."""
        return self._known.get(number) if type(number) is int else None

    def forget(self) -> None:
        """Lets go of all of them, at the end of a case."""
        self._known.clear()
        self._by_identity.clear()


class ArgumentEncoder(Encoder):
    """Encodes one message of trusted values; ``places`` then names each storage by the argument it came with.

    Without ``callbacks``, functions and iterators cannot cross.
    """

    def __init__(self, classes: Classes, callbacks: Callbacks | None = None, owner: object = None) -> None:
        super().__init__(classes)
        self.places: list[Place] = []
        self._callbacks = callbacks
        self._owner = owner
        self._storages = Storages()

    def message(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Frame:
        """The frame with ``args`` and ``kwargs``; raises TypeError for what cannot cross."""
        try:
            nodes = [self._argument(number, value) for number, value in enumerate(args, 1)]
            named = {name: self._argument(name, value) for name, value in kwargs.items()}
            self.frame.envelope |= {"args": nodes, "kwargs": named}
            self._storages.write(self)
        except Refused as refused:
            place = place_name("argument", *self.path)
            raise TypeError(f"{place}: {refused.type_name} cannot be sent ({refused.kind})") from None
        return self.frame

    def _argument(self, place: object, value: object) -> Node:
        self.path[:] = [place]
        return self.encode(value)

    def tensor(self, value: Any) -> Node:
        """A tensor over its numbered storage."""
        node = argument_node(value, self._storages)
        if node[1] == len(self.places):
            self.places.append(("argument", *self.path))
        return node

    def other(self, value: object) -> Node:
        """A handle goes back as the object; a function or iterator becomes a callback."""
        if isinstance(value, Handle):
            return ["h", value.number_for(self._owner)]
        if self._callbacks is None:
            raise refusal(type(value))
        if callable(value):
            return ["k", self._callbacks.number(value), "function"]
        if hasattr(type(value), "__next__"):
            return ["k", self._callbacks.number(value), "iterator"]
        raise refusal(type(value))


class ResultDecoder(Decoder):
    """Decodes one value of a learner's: strict, with tensors of our own making."""

    def __init__(
        self,
        frame: Frame,
        classes: Classes,
        callbacks: Callbacks,
        places: list[Place],
        new_handle: Callable[[int, str], Handle],
    ) -> None:
        super().__init__(frame, classes)
        self._callbacks = callbacks
        self._new_handle = new_handle
        self._groups: dict[int, list[Place]] = {number: [place] for number, place in enumerate(places)}
        self._names: dict[int, list[str]] = {}
        self._received: list[tuple[Received, Place]] = []

    def whole(self, node: Node) -> Any:
        """The value of the frame's one node, with facts on its tensors; raises WireError."""
        value = self.decode(node)
        self.finish()
        for received, place in self._received:
            set_facts(received.tensor, self._facts(received, place))
        return value

    def tagged(self, tag: str, parts: list[Node]) -> Any:
        """A tensor, a handle, or a callback that comes back."""
        if tag == "T" and len(self._received) < MAX_TENSORS:
            received = receive_result(parts, self)
            place: Place = ("result", *self.path)
            self._received.append((received, place))
            self._groups.setdefault(received.group, []).append(place)
            return received.tensor
        if tag == "h" and [type(part) for part in parts] == [int, str] and 0 <= parts[0] < _MAX_ID:
            return self._new_handle(parts[0], clean(parts[1])[:100])
        if tag == "k" and len(parts) == 1 and (known := self._callbacks.get(parts[0])) is not None:
            return known
        return super().tagged(tag, parts)

    def _facts(self, received: Received, place: Place) -> TensorFacts:
        return TensorFacts(
            dtype=received.tensor.dtype,
            shape=tuple(received.tensor.shape),
            stride=received.stride,
            storage_offset=received.storage_offset,
            device=received.device,
            contiguous=_is_contiguous(received),
            requires_grad=received.requires_grad,
            aliases=self._aliases(received.group, place),
        )

    def _aliases(self, group: int, place: Place) -> tuple[str, ...]:
        """The names of the other places in a group; most tensors are alone in theirs."""
        places = self._groups[group]
        if len(places) == 1:
            return ()
        if group not in self._names:
            self._names[group] = [place_name(*each) for each in places]
        return tuple(name for each, name in zip(places, self._names[group], strict=True) if each is not place)


def place_name(root: str, *path: object) -> str:
    """``argument 2[0]`` or ``result['page_table']``: for people to read; keys are cut short."""
    rest = path
    if root == "argument" and path:
        root, rest = f"argument {path[0]}", path[1:]
    return root + "".join(f"[{_key(part)}]" for part in rest)


def _key(part: object) -> str:
    """An index or key as it is read; cut before it is written out, since a learner's key may be the whole message."""
    return repr(part[:_MAX_KEY])[:_MAX_KEY] if isinstance(part, str) else str(part)[:_MAX_KEY]


def _is_contiguous(received: Received) -> bool:
    step = 1
    for length, stride in zip(reversed(received.tensor.shape), reversed(received.stride), strict=True):
        if length == 0:
            return True
        if length != 1 and stride != step:
            return False
        step *= length
    return True
