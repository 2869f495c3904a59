"""Writing to a terminal: colour only where it is one, columns and line breaks that know wide characters."""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from typing import TextIO

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
WIDTH_MAX = 100
NO_BREAK_BEFORE = "，。；：！？、）》」』”’,.;:!?)]}%"


class Terminal:
    """One output stream: `style` and `wrap` do nothing to text that goes to a file or a pipe."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stdout
        self.is_tty = self.stream.isatty()
        self._colour = self.is_tty and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self.width = min(shutil.get_terminal_size().columns, WIDTH_MAX) if self.is_tty else 0

    def print(self, text: str = "") -> None:
        """One line, at once; what a learner wrote must have gone through `wrap` or `safe`."""
        print(text, file=self.stream, flush=True)

    def style(self, text: str, *styles: str) -> str:
        """``text`` in the named styles, where colour is shown."""
        if not self._colour or not text:
            return text
        return f"\x1b[{';'.join(STYLES[style] for style in styles)}m{text}\x1b[0m"

    def wrap(self, text: str, indent: str = "") -> str:
        """``text`` with every line indented, and broken at the terminal's width."""
        lines = [part for line in safe(text).split("\n") for part in _break(line, self.width - width(indent))]
        return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def safe(text: str) -> str:
    """``text`` without control characters (a learner's output could move the cursor or set the title)."""
    kept = text.expandtabs(4)
    return "".join(
        "\ufffd" if unicodedata.category(c) in ("Cc", "Cs", "Cf") and c != "\n" else c for c in kept
    )


def width(text: str) -> int:
    """How many columns ``text`` takes: wide characters take two, combining ones none."""
    return sum(_width(character) for character in text)


def pad(text: str, columns: int) -> str:
    """``text`` filled with spaces up to ``columns``."""
    return text + " " * max(0, columns - width(text))


def table(rows: list[list[str]]) -> list[str]:
    """Rows as aligned lines, two spaces between columns."""
    columns = [max(width(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(pad(cell, wide) for cell, wide in zip(row, columns, strict=True)).rstrip() for row in rows
    ]


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _break(line: str, columns: int) -> list[str]:
    """Break at spaces, or between wide characters; a longer word stays whole. No limit where columns < 20."""
    if columns < 20 or width(line) <= columns:
        return [line]
    lines, current = [], ""
    for word in _words(line):
        if current.strip() and width(current + word.rstrip()) > columns:
            lines.append(current.rstrip())
            current = word.lstrip()
        else:
            current += word
    return [*lines, current.rstrip()]


def _words(line: str) -> list[str]:
    """Pieces that may stand at the start of a line: words with their space, and single wide characters."""
    words: list[str] = []
    may_start = True
    for character in line:
        wide = _width(character) == 2
        if words and (character in NO_BREAK_BEFORE or not (may_start or wide)):
            words[-1] += character
        else:
            words.append(character)
        may_start = wide or character == " "
    return words
