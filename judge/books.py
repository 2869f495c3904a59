"""What the chapters of a book are called: ``book.toml`` beside its problems, which may be missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from judge.problem import ProblemError
from judge.toml_table import TableError, parse_table

Titles = Mapping[int, Mapping[str, str]]
"""A title by language (zh, en) by the number of its chapter."""


def chapter_titles(roots: Sequence[Path]) -> Titles:
    """The titles in every ``<root>/<book>/book.toml``; a later root goes first.

    Raises:
        ProblemError: a file says something wrong; the line names it.
    """
    titles: dict[int, Mapping[str, str]] = {}
    for root in roots:
        for path in sorted(root.glob("*/book.toml")):
            titles.update(_read(path))
    return titles


def _read(path: Path) -> dict[int, Mapping[str, str]]:
    try:
        table = parse_table(path.read_bytes(), str(path))
        chapters = table.table("chapters")
        table.done()
        return {_number(path, key): chapters.both_languages(key) for key in chapters.remaining()}
    except TableError as error:
        raise ProblemError(str(error)) from error
    except OSError as error:
        raise ProblemError(f"{path}: cannot be read: {error.strerror}") from error


def _number(path: Path, key: str) -> int:
    if not (key.isascii() and key.isdigit()):
        raise TableError(f"{path} [chapters]: {key} must be the number of a chapter")
    return int(key)
