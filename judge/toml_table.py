"""A strict reader of TOML tables: every key is asked for by type, and a key nobody asked for is an error.

Used for files that people write (``problem.toml``, ``messages.*.toml``), so every complaint is one line that
names the file and the key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

LANGUAGES = ("zh", "en")


class TableError(ValueError):
    """One line: what is wrong, in which file, under which key."""


class Table:
    """One table of a TOML file; ``where`` is what messages call it, e.g. ``problem.toml [limits]``."""

    def __init__(self, values: dict[str, Any], where: str) -> None:
        self._values = dict(values)
        self.where = where

    def fail(self, key: str, want: str) -> TableError:
        """A complaint about ``key``, to be raised."""
        return TableError(f"{self.where}: {key} must be {want}")

    def _take(self, key: str, fits: Callable[[Any], bool], want: str) -> Any:
        if key not in self._values:
            near = get_close_matches(key, self._values, 1)
            meant = f" (is {near[0]} meant to be it?)" if near else ""
            raise TableError(f"{self.where}: {key} is missing{meant}; it must be {want}")
        value = self._values.pop(key)
        if not fits(value):
            raise self.fail(key, want)
        return value

    def has(self, key: str) -> bool:
        """Whether ``key`` is there and not yet taken."""
        return key in self._values

    def text(self, key: str) -> str:
        """A string that is not blank."""
        value: str = self._take(
            key, lambda v: isinstance(v, str) and bool(v.strip()), "a text that is not empty"
        )
        return value

    def integer(self, key: str, least: int = 0) -> int:
        """An integer of at least ``least``."""
        value: int = self._take(
            key, lambda v: type(v) is int and v >= least, f"an integer of at least {least}"
        )
        return value

    def number(self, key: str, above: float = 0.0, *, strict: bool = True) -> float:
        """A number over ``above``; ``strict=False`` allows ``above`` itself."""
        sign = "over" if strict else "of at least"

        def fits(value: Any) -> bool:
            return type(value) in (int, float) and (value > above or (not strict and value == above))

        return float(self._take(key, fits, f"a number {sign} {above:g}"))

    def flag(self, key: str) -> bool:
        """True or false; false where it is not there."""
        found: bool = self.has(key) and self._take(key, lambda v: type(v) is bool, "true or false")
        return found

    def choice(self, key: str, choices: Iterable[str]) -> str:
        """One of a few strings."""
        allowed = tuple(choices)
        value: str = self._take(key, lambda v: v in allowed, "one of " + ", ".join(allowed))
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings, none of them blank or given twice."""

        def fits(value: Any) -> bool:
            return (
                isinstance(value, list)
                and all(isinstance(one, str) and one.strip() for one in value)
                and len(set(value)) == len(value)
            )

        return tuple(self._take(key, fits, "a list of texts, each given once"))

    def both_languages(self, key: str, *, required: bool = True) -> dict[str, str]:
        """A text by language, ``{ zh = "...", en = "..." }``; ``required=False`` allows one of them alone."""
        table = self.table(key)
        result = {lang: table.text(lang) for lang in LANGUAGES if required or table.has(lang)}
        table.done()
        if not result:
            raise self.fail(key, "a text in zh or en")
        return result

    def table(self, key: str) -> Table:
        """A table within this one."""
        return Table(self._take(key, lambda v: isinstance(v, dict), "a table"), f"{self.where} [{key}]")

    def tables(self, key: str) -> list[Table]:
        """A list of at least one table: ``[[key]]``."""

        def fits(value: Any) -> bool:
            return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)

        found = self._take(key, fits, "a list of at least one table")
        return [Table(one, f"{self.where} [[{key}]] number {i}") for i, one in enumerate(found, 1)]

    def remaining(self) -> list[str]:
        """Keys not yet taken, in the file's order: for tables whose keys the writer chooses."""
        return list(self._values)

    def done(self) -> None:
        """Refuses every key that nobody took.

        Raises:
            TableError: naming those keys.
        """
        if self._values:
            raise TableError(f"{self.where}: unknown key {', '.join(sorted(self._values))}")


def parse_table(text: bytes, where: str) -> Table:
    """A file's bytes as a table.

    Raises:
        TableError: it is not UTF-8 or not TOML.
    """
    try:
        return Table(tomllib.loads(text.decode()), where)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TableError(f"{where}: not valid TOML: {' '.join(str(error).split())}") from error
