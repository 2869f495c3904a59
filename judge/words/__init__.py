"""The judge's own sentences about verdicts, in Chinese and English: a report stores facts, words are chosen here.

Plain text without markup. A learner's text only ever fills a placeholder; it is never a format itself.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judge.problem import Problem
from judge.toml_table import LANGUAGES
from judge.words.mismatch import mismatch_sentences
from judge.words.pictures import all_described
from judge.words.steps import step_sentences
from judge.words.table import Words

__all__ = [
    "LANGUAGES",
    "in_words",
    "load_message",
    "localise",
    "scratch_in_words",
    "sentence",
    "summary",
    "verdict_word",
    "words",
]


@functools.cache
def words(lang: str) -> Words:
    """The sentences of ``lang``; of Chinese where it is no language of ours."""
    lang = lang if lang in LANGUAGES else LANGUAGES[0]
    return Words(tomllib.loads((Path(__file__).parent / f"{lang}.toml").read_text(encoding="utf-8")))


def verdict_word(verdict: str, lang: str) -> str:
    """A verdict's word: 答案错误 for WA."""
    return words(lang).say("verdict", verdict)


def sentence(
    case: Mapping[str, Any], problem: Problem, lang: str, limits: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """``title`` of a case, the author's ``advice`` on its mistake (may be empty), and the general ``message``.

    ``case`` is a record of a report at any level; ``limits`` are the report's, else the problem's are named.
    """
    said, table = problem.messages(lang), words(lang)
    message = _case_message(case, _limits(problem, limits), table)
    return {
        "title": said.cases.get(case["name"], case["name"]),
        "advice": said.advice.get(case.get("mistake") or "", ""),
        "message": table.join([message, *step_sentences(case, said.steps, table)]),
    }


def load_message(load: Mapping[str, Any], limits: Mapping[str, Any], lang: str) -> str:
    """Why a submission could not be loaded and what to do, from a report's ``load``."""
    table = words(lang)
    facts, detail = load.get("facts", {}), load.get("detail", {})
    said = table.say(
        "load",
        _load_key(load, table),
        entry=load.get("entry", ""),
        similar=load.get("similar", ""),
        line=load.get("line") or 1,
        builtin=facts.get("builtin", "Exception"),
        lines=_lines(facts.get("lines", []), table),
        **_units(limits),
    )
    text = detail.get("message")
    return table.join([said, f"{detail['name']}: {text}"]) if text else said


def _load_key(load: Mapping[str, Any], table: Words) -> str:
    kind: str = load["kind"]
    if kind == "missing":
        return "misspelt" if load.get("similar") else "indented" if load.get("indented") else kind
    return kind if table.has("load", kind) else "other"


def summary(report: Mapping[str, Any], lang: str) -> str:
    """One line on the whole judgement."""
    table = words(lang)
    if report.get("load"):
        return load_message(report["load"], report["limits"], lang)
    if table.has("judgement", report["verdict"]):
        return table.say("judgement", report["verdict"])
    cases = report["cases"]
    accepted = sum(case["verdict"] == "AC" for case in cases)
    return table.say("judgement", "points", score=f"{report['score']:g}", accepted=accepted, total=len(cases))


def localise(report: Mapping[str, Any], problem: Problem, lang: str) -> dict[str, Any]:
    """A copy of a (disclosed) report with ``verdict_word`` and ``message``, and title, advice, message in each case."""
    cases = [in_words(case, problem, lang, report["limits"]) for case in report["cases"]]
    whole = {"verdict_word": verdict_word(report["verdict"], lang), "message": summary(report, lang)}
    return {**report, **whole, "cases": cases}


def in_words(
    case: Mapping[str, Any], problem: Problem, lang: str, limits: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A copy of a case's record with all that is said about it: word, title, advice, message, pictures, tolerance."""
    said: dict[str, Any] = {**case, "verdict_word": verdict_word(case["verdict"], lang)}
    said |= sentence(case, problem, lang, limits)
    if case.get("pictures"):
        said["pictures"] = all_described(case["pictures"], words(lang))
    if "values" in (case.get("facts") or {}).get("aspects", ()):
        said["tolerance_reason"] = problem.tolerance_reason.get(lang, "")
    return said


def scratch_in_words(report: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """The one record of a scratch run's report, with ``message`` (empty when all went well) and pictures in words."""
    table, empty = words(lang), {"verdict": report["verdict"], "facts": {}, "detail": {}}
    case = next(iter(report["cases"]), empty)
    facts = case["facts"]
    key = str(facts.get("why") or ("waited" if facts.get("waited") else facts.get("kind", "")))
    limits = _units(report["limits"])
    if report.get("load"):
        message = load_message(report["load"], report["limits"], lang)
    elif case["verdict"] in ("AC", "SE"):
        message = "" if case["verdict"] == "AC" else summary(report, lang)
    elif table.has("scratch", key):
        message = table.say("scratch", key, **limits)
    else:
        message = _case_message(case, report["limits"], table)
    values = [
        {**one, "pictures": all_described([one["picture"]] if one.get("picture") else [], table)}
        for one in case["detail"].get("values", [])
    ]
    return {**case, "message": message, "values": values}


def _case_message(case: Mapping[str, Any], limits: Mapping[str, Any], table: Words) -> str:
    if case["verdict"] == "AC":
        return table.say("case", "accepted")
    facts, detail = case.get("facts") or {}, case.get("detail") or {}
    kind = facts.get("kind", "")
    if kind == "wrong":
        text = table.join(mismatch_sentences(facts, detail, table)) or table.say("case", "wrong")
        return table.say("case", "field", field=facts["field"], text=text) if facts.get("field") else text
    if kind == "raised":
        return _raised(facts, detail, table)
    if kind == "bad_value":
        return _bad_value(facts, detail, table)
    if kind == "died":
        why = facts["why"]
        number = facts.get("signal") or 0
        signal = table.say("case", "signal", number=number) if number else ""
        return table.say("case", why if table.has("case", why) else "died", signal=signal, **_units(limits))
    if kind == "timeout":
        return table.say("case", "waited" if facts.get("waited") else "timeout", **_units(limits))
    return table.say("case", kind) if table.has("case", kind) else _fallback(case["verdict"], table)


def _fallback(verdict: str, table: Words) -> str:
    """What remains to be said where the facts are not shown."""
    return table.say("verdict", verdict)


def _raised(facts: Mapping[str, Any], detail: Mapping[str, Any], table: Words) -> str:
    lines = _lines(facts.get("lines", []), table)
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


def _lines(lines: list[int], table: Words) -> str:
    return table.say("case", "lines", line=lines[-1]) if lines else ""


def _limits(problem: Problem, limits: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return vars(problem.limits) if limits is None else limits


def _units(limits: Mapping[str, Any]) -> dict[str, str]:
    return {name: f"{value:.3g}" for name, value in limits.items()}
