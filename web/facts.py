"""The facts of one failed case as rows to compare, and the learner's own lines and calls; the rest is in its message.

Values stand in ``detail`` and are there only where they may be shown; the rows then carry them, else they do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from web.i18n import t

PAIRS = ("type", "dtype", "shape", "stride", "device", "contiguous", "length")
LINE_CHARS = 88
PLACES = (("first", "first_bad"), ("worst", "worst"))


@dataclass(frozen=True)
class Pair:
    """One thing that was compared: a label, what the learner's code gave, what was wanted (None: not shown)."""

    label: str
    got: str | None
    want: str | None


def pairs(case: dict[str, Any]) -> list[Pair]:
    """Form first (type, dtype, shape ...), then the first and the worst wrong element."""
    facts, detail = case.get("facts") or {}, case.get("detail") or {}
    rows = [
        Pair(t(f"fact.{name}"), written(facts[name].get("got")), written(facts[name].get("want")))
        for name in PAIRS
        if isinstance(facts.get(name), dict) and facts[name].get("got") != facts[name].get("want")
    ]
    values = facts.get("values") or {}
    for name, fact in PLACES:
        index, place = values.get(fact), detail.get(name) or {}
        if index is not None and not (name == "worst" and index == values.get("first_bad")):
            label = f"{t(f'fact.{name}')} {written(index)}"
            rows.append(Pair(label, shown(place, "got"), shown(place, "want")))
    return rows


def places(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The submission's own lines in a traceback, outermost first: with the function's name where it may be shown."""
    frames: list[dict[str, Any]] = (record.get("detail") or {}).get("frames") or []
    if frames:
        return frames
    lines = (record.get("facts") or {}).get("lines") or ([record["line"]] if record.get("line") else [])
    return [{"line": line, "function": ""} for line in lines]


def call(one: dict[str, Any]) -> str:
    """A call of the submission as source, one argument a line where they are long."""
    arguments = [*one["args"], *(f"{key}={text}" for key, text in one["kwargs"].items())]
    flat = f"{one['call']}({', '.join(arguments)})"
    if len(flat) <= LINE_CHARS:
        return flat
    return "\n".join([f"{one['call']}(", *(f"    {argument}," for argument in arguments), ")"])


def written(value: Any) -> str:
    """A fact as text: a shape or an index in brackets, yes and no in the reader's language."""
    if isinstance(value, bool):
        return t("fact.yes" if value else "fact.no")
    if isinstance(value, list):
        return "[" + ", ".join("…" if item == -1 else str(item) for item in value) + "]"
    return str(value)


def shown(place: dict[str, Any], name: str) -> str | None:
    """A value of a place, at the precision in which a difference can be read; None where it may not be shown."""
    value = place.get(name)
    if value is None:
        return None
    return f"{value:.7g}" if isinstance(value, float) else str(value)
