"""The facts of one failed case as rows to read: compared pairs, places in a tensor, and notes.

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


@dataclass(frozen=True)
class Note:
    """One more fact."""

    label: str
    text: str


def pairs(case: dict[str, Any]) -> list[Pair]:
    """Form first (type, dtype, shape ...), then the first and the worst wrong element."""
    facts, detail = case.get("facts") or {}, case.get("detail") or {}
    rows = [
        Pair(t(f"fact.{name}"), written(facts[name].get("got")), written(facts[name].get("want")))
        for name in PAIRS
        if isinstance(facts.get(name), dict)
    ]
    values = facts.get("values") or {}
    for name, fact in PLACES:
        index, place = values.get(fact), detail.get(name) or {}
        if index is not None and not (name == "worst" and index == values.get("first_bad")):
            label = f"{t(f'fact.{name}')} {written(index)}"
            rows.append(Pair(label, shown(place, "got"), shown(place, "want")))
    return rows


def notes(case: dict[str, Any]) -> list[Note]:
    """Where the difference is, how much of the tensor is wrong, under which tolerance, and NaNs."""
    facts = case.get("facts") or {}
    values, keys = facts.get("values") or {}, facts.get("keys") or {}
    rows = []
    if facts.get("at"):
        rows.append(Note(t("fact.at"), "".join(f"[{step}]" for step in facts["at"])))
    if keys.get("missing"):
        rows.append(Note(t("fact.missing"), ", ".join(keys["missing"])))
    if keys.get("extra"):
        rows.append(Note(t("fact.extra"), str(keys["extra"])))
    if "bad_count" in values:
        share_text = share(values["bad_share"])
        text = t("fact.bad-count", count=values["bad_count"], size=values["size"], share=share_text)
        rows.append(Note(t("fact.bad"), text))
    if "nan_got" in values:
        rows.append(Note(t("fact.nan"), f"{values['nan_got']} / {values['nan_want']}"))
    if "first_nan" in values:
        rows.append(Note(t("fact.first-nan"), written(values["first_nan"])))
    if "tolerance" in values:
        rows.append(Note(t("fact.tolerance"), tolerance(values["tolerance"])))
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


def tolerance(bound: dict[str, float]) -> str:
    """The bound as a formula, or that the values must be equal."""
    if not bound["atol"] and not bound["rtol"]:
        return t("fact.exact")
    return f"|got − want| ≤ {bound['atol']:g} + {bound['rtol']:g} · |want|"


def share(value: float) -> str:
    """A share between 0 and 1 in percent, never rounded to nothing or to everything."""
    percent = 100 * value
    if percent >= 100:
        return "100 %"
    return f"{min(percent, 99.9):.1f} %" if percent >= 0.1 else "< 0.1 %"
