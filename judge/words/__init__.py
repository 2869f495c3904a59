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
from judge.words.case import case_message, lines_of, units
from judge.words.drivers import told_call
from judge.words.mismatch import about_exception
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
    advice = said.advice.get(case.get("mistake") or "", "")
    message = case_message(case, _limits(problem, limits), table, bool(advice))
    return {
        "title": said.cases.get(case["name"], case["name"]),
        "advice": advice,
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
        lines=lines_of(facts, table),
        **units(limits),
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
    if case.get("detail"):
        said["detail"] = _detail(case["detail"], problem, lang)
    if "values" in (case.get("facts") or {}).get("aspects", ()):
        said["tolerance_reason"] = problem.tolerance_reason.get(lang, "")
    return said


def _detail(detail: Mapping[str, Any], problem: Problem, lang: str) -> dict[str, Any]:
    """A copy of a case's detail: drivers' calls are told, and values left out that only stand for an exception."""
    left_out = ("got", "want") if about_exception(detail) else ()
    told = {name: value for name, value in detail.items() if name not in left_out}
    if "inputs" in told:
        drivers = problem.messages(lang).drivers
        told["inputs"] = [told_call(one, drivers, problem.harness, words(lang)) for one in told["inputs"]]
    return told


def scratch_in_words(report: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """The one record of a scratch run's report, with ``message`` (empty when all went well) and pictures in words."""
    table, empty = words(lang), {"verdict": report["verdict"], "facts": {}, "detail": {}}
    case = next(iter(report["cases"]), empty)
    facts = case["facts"]
    key = str(facts.get("why") or ("waited" if facts.get("waited") else facts.get("kind", "")))
    limits = units(report["limits"])
    if report.get("load"):
        message = load_message(report["load"], report["limits"], lang)
    elif case["verdict"] in ("AC", "SE"):
        message = "" if case["verdict"] == "AC" else summary(report, lang)
    elif table.has("scratch", key):
        message = table.say("scratch", key, **limits)
    else:
        message = case_message(case, limits, table, False)
    values = [
        {**one, "pictures": all_described([one["picture"]] if one.get("picture") else [], table)}
        for one in case["detail"].get("values", [])
    ]
    return {**case, "message": message, "values": values}


def _limits(problem: Problem, limits: Mapping[str, Any] | None) -> dict[str, str]:
    stated = vars(problem.limits)
    return units(stated if limits is None else limits, stated)
