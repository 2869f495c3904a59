"""One server a data folder: a lock that ends with the process that holds it, however that ends."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import IO

from judge.lines import UserError


class DataInUse(UserError):
    """Another server holds the data folder; the line says which, and what to do."""


class DataLock:
    """The lock on ``data/server.lock``; the file tells who holds it."""

    def __init__(self, data: Path) -> None:
        self._path = data / "server.lock"
        self._file: IO[str] | None = None

    def acquire(self, address: str) -> None:
        """Take the lock or raise DataInUse; raises UserError where the folder cannot be written."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            opened = self._path.open("a+", encoding="utf-8")
        except OSError as error:
            raise UserError("data-folder", path=self._path.parent, why=error.strerror or error) from error
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(opened)
            opened.close()
            raise DataInUse("data-in-use", path=self._path.parent, **holder) from None
        opened.seek(0)
        opened.truncate()
        json.dump({"pid": os.getpid(), "address": address}, opened)
        opened.flush()
        self._file = opened

    def release(self) -> None:
        """Give the lock back, if it is held."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _holder(opened: IO[str]) -> dict[str, object]:
    opened.seek(0)
    try:
        told = json.loads(opened.read())
        return {"pid": int(told["pid"]), "address": str(told["address"])}
    except (ValueError, TypeError, KeyError):  # read between its truncation and its writing
        return {"pid": "?", "address": "?"}
