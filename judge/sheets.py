"""Tables as CSV for spreadsheet programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def as_csv(rows: Iterable[Sequence[object]]) -> bytes:
    """Rows as CSV in UTF-8 with a BOM, which is how Excel knows it; no text can act as a formula."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([neutral(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def neutral(cell: object) -> object:
    """A cell's value; a text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if isinstance(cell, str) and cell.startswith(STARTS_A_FORMULA):
        return f"'{cell}"
    return cell
