"""The judge's own lines to a user (errors, the command line) in both languages, and the errors made of them."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from pathlib import Path

LANGS = ("zh", "en")
_FOLDER = Path(__file__).with_name("lines")


@cache
def table(lang: str) -> dict[str, str]:
    """All lines of one language, by dotted key: ``{"error.port": "..."}``."""
    sections = tomllib.loads((_FOLDER / f"{lang}.toml").read_text(encoding="utf-8"))
    return {f"{section}.{key}": text for section, lines in sections.items() for key, text in lines.items()}


def line(key: str, lang: str, /, **values: object) -> str:
    """The line ``key`` in ``lang`` with its places filled; KeyError for an unknown key or a missing value.

    ``{judge}`` is always known: how the command line is called from the current folder.
    """
    return table(lang)[key].format(judge=judge_command(), **values)


def judge_command() -> str:
    """The command line as one can type it here; it works with any python3, with or without an environment."""
    return _command_from(os.getcwd())


@cache
def _command_from(folder: str) -> str:
    script = Path(__file__).resolve().parents[1] / "practice" / "judge.py"
    return f"python3 {min(os.path.relpath(script, folder), str(script), key=len)}"


class UserError(Exception):
    """Something a user can act on, told in one line. ``status`` is the exit status of the command line."""

    status = 2

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(key, values)
        self.key = key
        self.values = values

    def line(self, lang: str) -> str:
        """The error in the reader's language, always on one line."""
        return " ".join(line(f"error.{self.key}", lang, **self.values).split())

    def __str__(self) -> str:
        return self.line("en")
