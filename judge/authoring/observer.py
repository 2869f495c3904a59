"""Runs in a cell around a right solution: tells what each call was given, or answers known inputs alone.

Its text, the solution's and a call of `install` are judged as one submission; see judge.authoring.jobs.
"""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import types
from collections.abc import Callable, Collection
from typing import Any

import torch

MARK = "@observed"
HISTORY = "_observed_history"
OPERATORS = (
    "__init__",
    "__getitem__",
    "__setitem__",
    "__delitem__",
    "__contains__",
    "__len__",
    "__iter__",
    "__call__",
)


def fingerprint(value: object) -> str:
    """A digest of a value's content; objects that it does not know count by their type alone."""
    digest = hashlib.sha256()
    _feed(value, digest.update)
    return digest.hexdigest()[:24]


def _feed(value: object, update: Callable[[bytes], Any]) -> None:
    if isinstance(value, torch.Tensor):
        update(f"T{value.dtype}{tuple(value.shape)}{value.device.type}".encode())
        if value.device.type != "meta" and value.numel():
            plain = value.detach().cpu().contiguous()
            update(ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size()))
    elif isinstance(value, dict):
        update(f"d{len(value)}".encode())
        for key, inner in value.items():
            _feed(key, update)
            _feed(inner, update)
    elif isinstance(value, list | tuple):
        update(f"l{len(value)}".encode())
        for inner in value:
            _feed(inner, update)
    elif value is None or isinstance(value, int | float | complex | str | bytes):
        update(f"{type(value).__name__}{value!r}".encode())
    else:
        update(type(value).__name__.encode())


def nbytes(value: object, seen: set[int]) -> int:
    """Bytes of the storages behind a value's tensors, each counted once."""
    if isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        if value.device.type == "meta" or storage.data_ptr() in seen:
            return 0
        seen.add(storage.data_ptr())
        return int(storage.nbytes())
    if isinstance(value, dict):
        return sum(nbytes(inner, seen) for inner in value.values())
    return sum(nbytes(inner, seen) for inner in value) if isinstance(value, list | tuple) else 0


def observed(name: str, function: Callable[..., Any], answered: Collection[str] | None) -> Callable[..., Any]:
    """``function`` that prints what it was given; with ``answered``, None for inputs not among these digests."""

    def call(*args: Any, **kwargs: Any) -> Any:
        given = [name, args, kwargs]
        digest = fingerprint(given)
        if answered is not None and digest not in answered:
            return None
        print(MARK, digest, nbytes(given, set()))
        return function(*args, **kwargs)

    return call


def observed_class(name: str, original: Any, answered: Collection[str] | None) -> type:
    """A subclass whose operations print what the object was given since it was made, each time digested anew.

    With ``answered``, an operation whose history is not among these digests returns None. What an object calls of
    itself is not observed.
    """
    inside = [False]

    def tell(self: Any, given: list[Any]) -> bool:
        digest = fingerprint([getattr(self, HISTORY, name), *given])
        object.__setattr__(self, HISTORY, digest)
        if answered is None:
            print(MARK, digest, nbytes(given, set()))
        return answered is None or digest in answered

    def operation(key: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            if inside[0]:
                return function(self, *args, **kwargs)
            if not tell(self, [key, args, kwargs]) and key != "__init__":
                return None
            inside[0] = True
            try:
                return function(self, *args, **kwargs)
            finally:
                inside[0] = False

        return call

    found = {key: inspect.getattr_static(original, key) for key in dir(original)}
    wrapped = {
        key: operation(key, one)
        for key, one in found.items()
        if isinstance(one, types.FunctionType) and (not key.startswith("_") or key in OPERATORS)
    }
    wrapped.setdefault("__init__", operation("__init__", original.__init__))
    return type(original.__name__, (original,), wrapped)


def install(namespace: dict[str, Any], names: Collection[str], answered: Collection[str] | None) -> None:
    """Puts an observed function or class in the place of each entry point."""
    for name in names:
        found = namespace[name]
        make = observed_class if isinstance(found, type) else observed
        namespace[name] = make(name, found, answered)
