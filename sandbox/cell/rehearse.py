"""A small program of ours, loaded and called in a fork before it is a cell: what follows then touches warm memory.

The first use of every Python object copies its page after a fork, some milliseconds in all.
"""

from __future__ import annotations

import linecache
import socket
import sys

import torch

from .runner import Runner
from .wire import Frame, pack

_FILE = "solution.py"
_PROGRAM = b"import torch\n\n\ndef f(x, n):\n    return {'out': x + n, 'of': [n, 'text', 0.5]}\n"


def rehearse() -> None:
    """Loads and calls the program over a wire of its own, and forgets it; a submission's load seeds everything anew."""
    near, far = socket.socketpair()
    with near, far:
        runner = Runner(far, ())
        for request in _requests():
            near.sendmsg(pack(request))
            runner.answer(runner.read())
            near.recv(1 << 16)
    sys.modules.pop("solution", None)
    linecache.cache.pop(_FILE, None)


def _requests() -> list[Frame]:
    tensor = ["T", 0, "float32", [2, 3], [3, 1], 0, False]
    load = [["b", len(_PROGRAM)], _FILE, ["l", "f"], 0]
    return [
        Frame(_envelope("prepare", [None, None])),
        Frame(_envelope("load", load), bytearray(_PROGRAM)),
        Frame(
            _envelope("call", [tensor, 1], [["cpu", 0, 24]], "f"),
            pieces=[torch.zeros(24, dtype=torch.uint8)],
        ),
    ]


def _envelope(
    op: str, args: list[object], storages: list[object] | None = None, name: str = ""
) -> dict[str, object]:
    same = {"nonce": "", "drop": [], "kwargs": {}}
    return {**same, "op": op, "target": ["entry", name], "args": args, "storages": storages or []}
