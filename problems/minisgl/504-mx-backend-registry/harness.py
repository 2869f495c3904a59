"""Drivers that run beside the submission: objects are told apart by identity, which does not cross over.

They only call your class and functions and hand back what they find; the comparison is made elsewhere.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from copy import copy
from typing import Any

import solution


class Factory:
    """Something to file: callable, and false where its label says so."""

    calls = 0

    def __init__(self, label: str) -> None:
        self.label = label

    def __call__(self, *_: object) -> None:
        Factory.calls += 1

    def __bool__(self) -> bool:
        return not self.label.startswith("falsy")


class Given:
    """The registry that ``validate_backend`` is given: names alone."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def register(self, name: str) -> Any:
        raise KeyError(name)

    def __getitem__(self, name: str) -> str:
        if name in self._names:
            return name
        raise KeyError(name)

    def supported_names(self) -> list[str]:
        return list(self._names)

    def assert_supported(self, name: str) -> None:
        if name not in self._names:
            raise ArgumentTypeError(f"unknown thing {name!r}")


def play(kinds: list[str], ops: list[list[Any]]) -> list[Any]:
    """The outcome of each operation on registries of ``kinds``; an operation is ``[registry, what, *arguments]``."""
    registries = [solution.Registry(kind) for kind in kinds]
    items: dict[str, Factory] = {}
    Factory.calls = 0
    outcomes = [_try(_do, registries[which], items, what, rest) for which, what, *rest in ops]
    return [*outcomes, Factory.calls]


def _do(registry: Any, items: dict[str, Factory], what: str, rest: list[Any]) -> Any:
    if what == "register":
        *names, label = rest
        item = made = items.setdefault(label, Factory(label))
        for name in names:
            made = registry.register(name)(made)
        return made is item
    if what == "begin":
        registry.register(rest[0])
        return None
    if what == "get":
        found = registry[rest[0]]
        return next((label for label, item in items.items() if item is found), None)
    if what == "names":
        return copy(registry.supported_names())  # as it is now, whatever is registered later
    if what == "change-names":
        registry.supported_names().append(rest[0])
        return None
    registry.assert_supported(rest[0])
    return None


def validate(names: list[str], text: str, allow_auto: bool) -> Any:
    """The outcome of ``validate_backend`` with a registry that has ``names``."""
    return _try(solution.validate_backend, Given(names), text, allow_auto)


def _try(call: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """What a call returned; or the classes of what it raised, and its words."""
    try:
        return {"value": call(*arguments)}
    except Exception as error:
        text = " ".join(str(part) for part in error.args)
        return {"raised": [kind.__name__ for kind in type(error).__mro__], "text": text}
