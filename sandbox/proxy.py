"""What a case holds: the submission, handles on objects that stay in the cell, and facts about received tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import torch

from sandbox.contract import BadValue

MAX_ITERATION = 100_000


class Caller(Protocol):
    """Puts requests to the cell that is alive."""

    def request(self, op: str, target: tuple[str, Any], /, *args: Any, **kwargs: Any) -> Any:
        """One request and its value; raises what a call may raise (sandbox.contract)."""
        ...


class Owner(Protocol):
    """The cell, while it lives, that a handle's object stays in."""

    def drop(self, number: int) -> None:
        """Tells the cell, with the next request, that a handle is gone."""
        ...


class End:
    """The answer to ``next`` when an iterator in the cell is exhausted."""


@dataclass(frozen=True)
class TensorFacts:
    """What a learner's tensor was like in the cell: to be judged, and never more than the cell's own word.

    ``aliases`` names the arguments and other results that shared its storage, e.g. ``argument 2`` or
    ``result['page_table']``.
    """

    dtype: torch.dtype
    shape: tuple[int, ...]
    stride: tuple[int, ...]  # in elements
    storage_offset: int  # in elements
    device: str
    contiguous: bool
    requires_grad: bool
    aliases: tuple[str, ...]


def facts(tensor: torch.Tensor) -> TensorFacts | None:
    """The facts of a tensor exactly as it was received, None for any other."""
    found: TensorFacts | None = getattr(tensor, "_learner_facts", None)
    return found


def set_facts(tensor: torch.Tensor, found: TensorFacts) -> None:
    """Attaches the facts to a received tensor."""
    tensor._learner_facts = found  # type: ignore[attr-defined]


class Remote:
    """A function of the submission's or the harness's: a plain call for the case, run in the cell."""

    def __init__(self, caller: Caller, target: tuple[str, str]) -> None:
        self._caller = caller
        self._target = target

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._caller.request("call", self._target, *args, **kwargs)


class Harness:
    """The functions of the problem's harness.py, which runs beside the submission: ``submission.harness.f(...)``."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def __getattr__(self, name: str) -> Remote:
        if name.startswith("_"):
            raise AttributeError(name)
        return Remote(self._caller, ("harness", name))


class Submission:
    """The learner's module as a case sees it: its entry points, and the harness."""

    def __init__(self, caller: Caller, entry_points: tuple[str, ...]) -> None:
        self._caller = caller
        self._entry_points = entry_points
        self.harness = Harness(caller)

    def __getattr__(self, name: str) -> Remote:
        if name.startswith("_") or name not in self._entry_points:
            raise AttributeError(f"{name} is not an entry point of this problem")
        return Remote(self._caller, ("entry", name))


class Handle:
    """An object that stays in the cell: call it, read attributes and items, take its length, iterate.

    It has no equality, hash or truth: these would be the learner's word. It is gone with its cell.
    """

    def __init__(self, caller: Caller, owner: Owner, number: int, type_name: str) -> None:
        self._caller = caller
        self._owner = owner
        self._number = number
        self._type_name = type_name

    def number_for(self, owner: object) -> int:
        """Its number in the cell ``owner``; raises TypeError in any other."""
        if owner is not self._owner:
            raise TypeError("this handle belongs to a cell that is gone")
        return self._number

    def _request(self, op: str, /, *args: Any, **kwargs: Any) -> Any:
        return self._caller.request(op, ("object", self), *args, **kwargs)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._request("call", *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._request("get", name)

    def __getitem__(self, key: Any) -> Any:
        return self._request("item", key)

    def __len__(self) -> int:
        length = self._request("len")
        if type(length) is not int or length < 0:
            raise BadValue("type", "len")
        return length

    def __iter__(self) -> Iterator[Any]:
        steps = self._request("iter")
        if not isinstance(steps, Handle):
            raise BadValue("type", "iterator")
        for _ in range(MAX_ITERATION):
            if (value := steps.__next__(End)) is End:
                return
            yield value
        raise BadValue("too-big", self._type_name)

    def __next__(self, end: Any = StopIteration) -> Any:
        value = self._request("next")
        if value is End and end is StopIteration:
            raise StopIteration
        return value

    def __repr__(self) -> str:
        return f"<{self._type_name} in the cell>"

    def __del__(self) -> None:
        self._owner.drop(self._number)

    def __eq__(self, _other: object) -> NoReturn:
        raise TypeError("an object in the cell cannot be compared")

    def __hash__(self) -> NoReturn:
        raise TypeError("an object in the cell has no hash")

    def __bool__(self) -> NoReturn:
        raise TypeError("an object in the cell has no truth value")
