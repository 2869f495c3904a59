"""How values are written: the vocabulary that the encoder and the decoder share.

None, bool, int of 64 bits, finite float and short plain str are JSON values; everything else is a list that starts
with a tag: ``i`` big int, ``f`` NaN or infinity, ``c`` complex, ``s`` str and ``b`` bytes (lengths into the text),
``l`` list, ``t`` tuple, ``d`` dict, ``y`` dtype, ``v`` device, ``z`` torch.Size, ``D`` dataclass of module
``support``, ``T`` tensor, ``h`` handle, ``k`` callback. A named tuple crosses as a tuple, an OrderedDict or
defaultdict as a dict. Text is cleaned: lone surrogates become escapes, NUL is dropped.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Mapping
from typing import Any

import torch

from .caps import MAX_ITEMS, MAX_NAME

Node = Any
"""A JSON value: what one end writes into an envelope, and the other must not trust."""
Classes = Mapping[str, type]
"""The registered dataclasses by name."""

DTYPES: dict[str, torch.dtype] = {
    str(value).removeprefix("torch."): value
    for value in vars(torch).values()
    if isinstance(value, torch.dtype)
}
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}
INLINE = re.compile(r"[A-Za-z0-9_ .+/-]{0,48}")  # holds nothing that JSON escapes or that counts as structure
BIG_INT = re.compile(r"-?0x[1-9a-f][0-9a-f]{15,830}")
DEVICE = re.compile(r"(cpu|cuda|meta|mps|xpu)(:[0-9]{1,3})?")
INT64 = range(-(1 << 63), 1 << 63)


def are_integers(items: list[Any]) -> bool:
    """Whether there is an item, and each is an exact int of 64 bits."""
    return {*map(type, items)} == {int} and min(items) >= INT64.start and max(items) < INT64.stop


def are_integer_tuples(items: list[Any]) -> bool:
    """Whether there is an item, and each is an exact tuple of such ints, no more than may cross; some may be empty."""
    if {*map(type, items)} != {tuple} or sum(
        map(len, items)
    ) > MAX_ITEMS:  # one tuple may be there many times
        return False
    return are_integers(list(itertools.chain.from_iterable(items)))


def clean(text: str) -> str:
    """``text`` as UTF-8 can hold it: lone surrogates escaped, NUL taken out; an exact str even of a subclass."""
    return str.encode(text, "utf-8", "backslashreplace").replace(b"\0", b"").decode("utf-8")


def type_name(cls: type) -> str:
    """The own name of a class, whatever its metaclass says: cleaned, at most 100 characters."""
    return clean(type.__dict__["__name__"].__get__(cls))[:MAX_NAME]


def type_module(cls: type) -> str:
    """The module that a class says it is from, whatever its metaclass says; "" where that is no str."""
    try:
        module = type.__dict__["__module__"].__get__(cls)
    except AttributeError:  # deleted by the class's author
        return ""
    return module if type(module) is str else ""


def dataclasses_of(module: object) -> dict[str, type]:
    """The dataclasses that a module itself defines, by name."""
    name = getattr(module, "__name__", None)
    found = [cls for cls in vars(module).values() if isinstance(cls, type) and dataclasses.is_dataclass(cls)]
    return {cls.__name__: cls for cls in found if cls.__module__ == name}
