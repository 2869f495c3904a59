"""What came of one case, as sentences. General advice is given only where the problem's author has none for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judge.words.mismatch import mismatch_sentences
from judge.words.table import Words

_SECONDS = ("time_limit_s", "load_limit_s", "judgement_limit_s")


def case_message(case: Mapping[str, Any], limits: Mapping[str, Any], table: Words, advised: bool) -> str:
    """The general message on a case; empty where it would only repeat the advice. ``limits`` are from `units`."""
    if case["verdict"] == "AC":
        return table.say("case", "accepted")
    facts, detail = case.get("facts") or {}, case.get("detail") or {}
    kind = facts.get("kind", "")
    if kind == "wrong":
        return _wrong(facts, detail, table, advised)
    if kind == "raised":
        return _raised(facts, detail, table)
    if kind == "bad_value":
        return _bad_value(facts, detail, table)
    if kind not in ("died", "timeout"):
        text = table.say("case", kind) if table.has("case", kind) else table.say("verdict", case["verdict"])
        return table.join([text, _advice(kind, table, advised)])
    if kind == "timeout":
        why, text = _timeout(case, facts, limits, table)
    else:
        why = facts["why"] if table.has("case", facts["why"]) else "died"
        number = facts.get("signal") or 0
        signal = table.say("case", "signal", number=number) if number else ""
        text = table.say("case", why, signal=signal, **limits)
    return table.join([text, _advice(why, table, advised)])


def units(limits: Mapping[str, Any], stated: Mapping[str, Any] | None = None) -> dict[str, str]:
    """The limits as they are written, and in ``factor`` by how much those ``stated`` in the problem were stretched."""
    told = {name: f"{value:.3g}" for name, value in limits.items()}
    ratios = (
        {round(limits[name] / stated[name], 2) for name in _SECONDS if name in limits} if stated else set()
    )
    if stated and len(ratios) == 1 and (factor := ratios.pop()) > 1:  # several: the problem has changed since
        told |= {"factor": f"{factor:.3g}", "stated_s": f"{stated['time_limit_s']:.3g}"}
    return told


def lines_of(facts: Mapping[str, Any], table: Words) -> str:
    """Where it was raised, to be put into a sentence; may be empty."""
    lines = facts.get("lines") or []
    return table.say("case", "lines", line=lines[-1]) if lines else ""


def _advice(key: str, table: Words, advised: bool) -> str:
    return table.say("case_advice", key) if not advised and table.has("case_advice", key) else ""


def _wrong(facts: Mapping[str, Any], detail: Mapping[str, Any], table: Words, advised: bool) -> str:
    sentences: Iterator[str] = mismatch_sentences(facts, detail, table)
    text = table.join(sentences) or ("" if advised else table.say("case", "wrong"))
    if advised and text == table.say("mismatch", "value"):
        return ""
    return (
        table.say("case", "field", field=facts["field"], text=text) if facts.get("field") and text else text
    )


def _timeout(
    case: Mapping[str, Any], facts: Mapping[str, Any], limits: Mapping[str, Any], table: Words
) -> tuple[str, str]:
    """Which kind it was, and its sentence: the CPU time ran out, or the wall time that stands behind it."""
    if facts.get("waited"):
        return "waited", table.say("case", "waited")
    used_s, limit_s = case.get("time_s") or 0.0, float(limits["time_limit_s"])
    if used_s < limit_s:
        return "timeout", table.say("case", "too_long", wall_limit_s=f"{3 * limit_s:.3g}", **limits)
    slow = table.say("case", "slow", **limits) if "factor" in limits else ""
    return "timeout", table.say("case", "timeout", used_s=f"{used_s:.3g}", slow=slow, **limits)


def _raised(facts: Mapping[str, Any], detail: Mapping[str, Any], table: Words) -> str:
    lines = lines_of(facts, table)
    if facts["builtin"] == "NotImplementedError":
        return table.say("case", "not_implemented", lines=lines)
    name = detail.get("name") or facts["builtin"]
    if detail.get("message"):
        return table.say("case", "raised-with", name=name, lines=lines, text=detail["message"])
    return table.say("case", "raised", builtin=name, lines=lines)


def _bad_value(facts: Mapping[str, Any], detail: Mapping[str, Any], table: Words) -> str:
    kind = facts["bad"] if table.has("bad_value", facts["bad"]) else "other"
    name = table.say("case", "type_name", name=detail["type"]) if detail.get("type") else ""
    return table.say("bad_value", kind, name=name)
