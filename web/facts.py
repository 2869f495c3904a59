"""The facts of one failed case as rows to compare, and the learner's own lines and calls; the rest is in its message.

Values stand in ``detail`` and are there only where they may be shown; the rows then carry them, else they do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from judge.words.drivers import argument_lines
from web.i18n import t

FORM = ("type", "dtype", "shape", "device", "contiguous", "stride", "length")
TOLD_IN_ROWS = {"dtype", "shape", "device", "values"}
LINE_CHARS = 88
CODE_CHARS = 120
PLACES = (("first", "first_bad"), ("worst", "worst"))


@dataclass(frozen=True)
class Pair:
    """One thing that was compared: a label, what the learner's code gave, what was wanted (None: not shown)."""

    label: str
    got: str | None
    want: str | None
    bad: bool = True


def pairs(case: dict[str, Any]) -> list[Pair]:
    """Form first (type, dtype, shape ...; equal ones too, so that they need not be wondered about), then two places."""
    facts, detail = case.get("facts") or {}, case.get("detail") or {}
    rows = [pair for name in FORM if (pair := _form(facts, name)) is not None]
    values = facts.get("values") or {}
    for name, fact in PLACES:
        index, place = values.get(fact), detail.get(name) or {}
        if index is not None and not (name == "worst" and index == values.get("first_bad")):
            label = f"{t(f'fact.{name}')} {written(index)}"
            rows.append(Pair(label, shown(place, "got"), shown(place, "want")))
    return rows


def _form(facts: dict[str, Any], name: str) -> Pair | None:
    """A row of the form: from what differed, else from what both tensors were like."""
    told = facts.get(name)
    if not isinstance(told, dict):
        form = facts.get("form") or {}
        told = {side: form.get(side, {}).get(name) for side in ("got", "want")}
    got, want = told.get("got"), told.get("want")
    if got is None and want is None:
        return None
    differs = got != want
    if name == "stride":
        differs = "contiguous" in facts.get("aspects", ())  # other strides are nobody's mistake
        if not differs and (got == want or "form" in facts):
            return None
    if name == "contiguous" and "contiguous" not in facts.get("aspects", ("contiguous",)):
        differs = False
    return Pair(t(f"fact.{name}"), written(got), written(want), differs)


def notes(case: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Label, text and reason of what is one thing and not two: how much is wrong, where NaN starts, the tolerance."""
    facts = case.get("facts") or {}
    values = facts.get("values") or {}
    if not values:
        return []
    percent = f"{100 * values['bad_share']:.3g}"
    found = [
        (t("fact.share"), t("fact.of", bad=values["bad_count"], size=values["size"], percent=percent), "")
    ]
    if values.get("nan_got"):
        text = t("fact.nan-from", count=values["nan_got"], index=written(values["first_nan"]))
        wanted = t("fact.nan-wanted", count=values.get("nan_want", 0))
        found.append((t("fact.nan"), f"{text}; {wanted}", ""))
    tolerance = values["tolerance"]
    exact = not (tolerance["atol"] or tolerance["rtol"])
    text = t("fact.exact") if exact else t("fact.bound", **{k: f"{v:g}" for k, v in tolerance.items()})
    dtype = ((facts.get("form") or {}).get("want") or {}).get("dtype")
    text = f"{text} ({dtype})" if dtype else text
    found.append((t("fact.tolerance"), text, "" if exact else case.get("tolerance_reason", "")))
    return found


def explained(case: dict[str, Any]) -> bool:
    """Whether the case's message says more than advice and rows do."""
    facts = case.get("facts") or {}
    aspects = set(facts.get("aspects") or ("other",)) | ({"operations"} & facts.keys())
    return bool(case.get("message")) and not (case.get("advice") and aspects <= TOLD_IN_ROWS)


def places(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The submission's own lines in a traceback, outermost first: with the function's name where it may be shown."""
    frames: list[dict[str, Any]] = (record.get("detail") or {}).get("frames") or []
    if frames:
        return frames
    lines = (record.get("facts") or {}).get("lines") or ([record["line"]] if record.get("line") else [])
    return [{"line": line, "function": ""} for line in lines]


def code_at(source: str, line: int) -> str:
    """The code in a line of the submission, without its indent; empty where there is no such line."""
    lines = source.split("\n")
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return text if len(text) <= CODE_CHARS else f"{text[:CODE_CHARS]}…"


def code_lines(source: str) -> list[str]:
    """The lines of a submission as Python counts them."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def call(one: dict[str, Any]) -> str:
    """A call of the submission as source, one argument a line where they are long; a driver's arguments by name."""
    if "driver" in one:
        return "\n".join(argument_lines(one))
    arguments = [*one["args"], *(f"{key}={text}" for key, text in one["kwargs"].items())]
    flat = f"{one['call']}({', '.join(arguments)})"
    if len(flat) <= LINE_CHARS:
        return flat
    return "\n".join([f"{one['call']}(", *(f"    {argument}," for argument in arguments), ")"])


def written(value: Any) -> str | None:
    """A fact as text: a shape or an index in brackets, yes and no in the reader's language; None stays None."""
    if value is None:
        return None
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
