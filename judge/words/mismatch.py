"""How a value differed, as sentences: dtype, shape, the share and place of wrong elements; values where shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from judge.words.table import Words

_VALUE_MAX_CHARS = 160
_EXCEPTION = re.compile(r"'[A-Z]\w*(?:Error|Exception)'")


def mismatch_sentences(facts: Mapping[str, Any], detail: Mapping[str, Any], table: Words) -> Iterator[str]:
    """One sentence for each aspect that differed, then what was got and wanted where ``detail`` holds it."""
    if not facts.get("at") and (kind := about_exception(detail)):
        got = str(detail.get("got")) if kind == "returned" else str(detail.get("got")).strip("'")
        want = str(detail["want"]).strip("'")
        yield table.say("mismatch", f"exception-{kind}", got=_short(got), want=want)
        return
    for aspect in facts.get("aspects", []):
        told = facts.get(aspect)
        if aspect == "values" and told:
            yield from _values(told, table)
        elif aspect == "keys" and told:
            yield from _keys(told, table)
        elif aspect in ("contiguous", "value"):
            yield table.say("mismatch", aspect)
        elif told and aspect == "type" and told["got"] == "None":
            yield table.say("mismatch", "none", want=told["want"])
        elif told and table.has("mismatch", aspect):
            yield table.say("mismatch", aspect, got=told["got"], want=told["want"])
    if path := facts.get("at"):
        yield table.say("mismatch", "at", path="".join(f"[{step}]" for step in path))
    yield from _shown(detail, table)


def about_exception(detail: Mapping[str, Any]) -> str:
    """Whether what was compared is the name of what was raised, which drivers hand over as a text (empty: nothing).

    Then the kind of sentence that says it: ``missing``, ``returned``, ``other`` or ``unwanted``; else "".
    """
    got, want = detail.get("got"), detail.get("want")
    if _is_exception(want):
        return "other" if _is_exception(got) else "missing" if got in ("''", "None", None) else "returned"
    return "unwanted" if _is_exception(got) and want == "''" else ""


def _is_exception(text: object) -> bool:
    return isinstance(text, str) and _EXCEPTION.fullmatch(text) is not None


def _values(told: Mapping[str, Any], table: Words) -> Iterator[str]:
    yield table.say(
        "mismatch",
        "values",
        bad_count=told["bad_count"],
        size=told["size"],
        percent=f"{100 * told['bad_share']:.3g}",
        first=told["first_bad"],
        worst=told["worst"],
    )
    if told.get("nan_got"):
        yield table.say("mismatch", "nan", count=told["nan_got"], first=told["first_nan"])
    tolerance = told["tolerance"]
    if tolerance["atol"] or tolerance["rtol"]:
        atol, rtol = (f"{tolerance[name]:g}" for name in ("atol", "rtol"))
        yield table.say("mismatch", "tolerance", atol=atol, rtol=rtol)


def _keys(told: Mapping[str, Any], table: Words) -> Iterator[str]:
    if told.get("missing"):
        yield table.say("mismatch", "keys", missing=", ".join(told["missing"]))
    if told.get("extra"):
        yield table.say("mismatch", "extra_keys", extra=told["extra"])


def _shown(detail: Mapping[str, Any], table: Words) -> Iterator[str]:
    first = detail.get("first")
    if first:
        index, got, want = first["index"], first["got"], first["want"]
        yield table.say("mismatch", "first_values", index=index, got=_short(got), want=_short(want))
        worst = detail.get("worst") or first
        if worst["index"] != index:
            yield table.say(
                "mismatch",
                "first_values",
                index=worst["index"],
                got=_short(worst["got"]),
                want=_short(worst["want"]),
            )
    elif "got" in detail and "want" in detail:
        yield table.say("mismatch", "got_want", got=_short(detail["got"]), want=_short(detail["want"]))


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _VALUE_MAX_CHARS else text[:_VALUE_MAX_CHARS] + "…"
