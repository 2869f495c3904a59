"""Where a Unix socket is: its address holds 107 bytes (104 on macOS), and a folder's path may be longer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ROOM = 103
_DESCRIPTORS = Path("/proc/self/fd")


@contextmanager
def unix_address(path: Path) -> Iterator[str]:
    """An address to bind or connect to; a longer one than fits goes through a descriptor of its folder, where there is /proc.

    Raises OSError where the folder cannot be opened.
    """
    if len(os.fsencode(path)) <= _ROOM or not _DESCRIPTORS.is_dir():
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield str(_DESCRIPTORS / str(folder) / path.name)
    finally:
        os.close(folder)
