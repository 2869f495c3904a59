"""Reference solution of #504: a dictionary, a decorator that checks before it files, and errors that list the choices."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Registry:
    """Objects by name; ``kind`` is the word used in messages."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._items: dict[str, object] = {}

    def register(self, name: str) -> Callable[[T], T]:
        """A decorator that files an object under ``name`` and returns it; KeyError if the name is taken."""
        if name in self._items:
            raise KeyError(f"{self._kind} {name!r} is registered already")

        def file(item: T) -> T:
            self._items[name] = item
            return item

        return file

    def __getitem__(self, name: str) -> object:
        if name not in self._items:
            raise KeyError(self._unknown(name))
        return self._items[name]

    def supported_names(self) -> list[str]:
        """All names in the order of registration."""
        return list(self._items)

    def assert_supported(self, name: str) -> None:
        """ArgumentTypeError with the choices when ``name`` is unknown."""
        if name not in self._items:
            raise ArgumentTypeError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        return f"unknown {self._kind} {name!r}; supported: {', '.join(self._items)}"


def validate_backend(registry: Registry, text: str, allow_auto: bool) -> str:
    """``text`` itself if it is "auto" and that is allowed, a known name, or a pair of them."""
    if not (allow_auto and text == "auto"):
        for name in text.split(",", 1):
            registry.assert_supported(name)
    return text
