"""The canary's submission: makes one forbidden attempt a call and says what came of it. Runs in a cell, never here.

Every answer is "worked: ..." or "refused WHY"; an attempt that cannot be made raises, which counts as a finding.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable
from typing import Any

_libc = ctypes.CDLL(None, use_errno=True)


def attempt(kind: str, *arguments: object) -> str:
    """Make one attempt of a kind: descriptors, read, list, write, syscall or python."""
    try:
        return "worked: " + repr(_KINDS[kind](*arguments))[:200]
    except OSError as error:
        return "refused " + errno.errorcode.get(error.errno or 0, str(error.errno))
    except ImportError:
        return "refused ImportError"


def _read(path: str) -> bytes:
    with open(path.format(parent=os.getppid()), "rb") as file:
        return file.read(40)


def _list(path: str) -> list[str]:
    return os.listdir(path)[:5]


def _write(path: str) -> int:
    with open(path, "wb") as file:
        return file.write(b"canary")


def _syscall(call: int, *arguments: int | bytes) -> int:
    words = [
        ctypes.c_long(word) if isinstance(word, int) else ctypes.create_string_buffer(word)
        for word in arguments
    ]
    result = int(_libc.syscall(ctypes.c_long(call), *words))
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def _python(expression: str) -> object:
    return eval(expression, {"os": os, "ctypes": ctypes, "parent": os.getppid()})


def _descriptors() -> int:
    """How many are open."""
    found = 0
    for descriptor in range(64):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        found += 1
    return found


_KINDS: dict[str, Callable[..., Any]] = {
    "descriptors": _descriptors,
    "read": _read,
    "list": _list,
    "write": _write,
    "syscall": _syscall,
    "python": _python,
}
