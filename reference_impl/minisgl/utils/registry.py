"""Things that are chosen by name, such as attention backends and models."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to things of one kind; kind is the word used in messages."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._items: dict[str, T] = {}

    def register(self, name: str) -> Callable[[T], T]:
        """Decorator that files what it decorates under name; KeyError if the name is taken."""
        if name in self._items:
            raise KeyError(f"{self._kind} {name!r} is registered already")

        def file(item: T) -> T:
            self._items[name] = item
            return item

        return file

    def __getitem__(self, name: str) -> T:
        if name not in self._items:
            raise KeyError(self._unknown(name))
        return self._items[name]

    def supported_names(self) -> list[str]:
        """All names, in the order of registration."""
        return list(self._items)

    def assert_supported(self, name: str) -> None:
        """ArgumentTypeError naming the choices when name is unknown: argparse shows it to the user."""
        if name not in self._items:
            raise ArgumentTypeError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        return f"unknown {self._kind} {name!r}; supported: {', '.join(self._items)}"
