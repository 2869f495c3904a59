"""Checks of what a problem says: both languages alike, a title for each case, advice for each mistake."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from judge.authoring.jobs import right_answers, wrong_answers
from judge.authoring.outcome import Check
from judge.problem import Problem

LANGS = ("zh", "en")
PAGES = ("statement", "hints", "editorial")
WRONG_AT_LEAST = {"draft": 3, "ready": 8}
EXPECTS = re.compile(rb"# expects: ([a-z0-9_-]+)\s*\Z")
REMARKS = ("(Say first why", "（先说引擎为什么")  # to the author, in the skeleton's statements
_ASPECTS = ("mistake", "dtype", "shape", "device", "contiguous")
_FENCE = re.compile(r"(?ms)^```.*?^```")


def check_texts(problem: Problem) -> Check:
    """Both languages are there (one will do for a draft) and have the same structure."""
    check = Check("texts")
    there = {page: [lang for lang in LANGS if problem.text(f"{page}.{lang}.md")] for page in PAGES}
    for page, langs in there.items():
        for lang in LANGS:
            needed = problem.status == "ready" or (page == "statement" and not langs)
            if needed and lang not in langs:
                check.fail("no-page", path=f"{page}.{lang}.md")
        if len(langs) == len(LANGS):
            _compare_pages(check, problem, page)
    for lang in there["statement"]:
        _check_statement(check, problem, f"statement.{lang}.md")
    zh, en = (problem.messages(lang) for lang in LANGS)
    _compare_keys(check, "cases", zh.cases, en.cases)
    _compare_keys(check, "advice", zh.advice, en.advice)
    written = [lang for lang in LANGS if lang in there["statement"]]
    check.figures = {"languages": " = ".join(written), "hints": len(problem.hints("zh"))}
    check.figures |= {"titles": len(zh.cases), "advice": len(zh.advice)}
    return check


def _check_statement(check: Check, problem: Problem, path: str) -> None:
    text = problem.text(path) or ""
    for entry in problem.entry_points:
        if not re.search(rf"\b{re.escape(entry)}\b", text):
            check.fail("entry-not-said", path=path, entry=entry)
    remark = next((line for line in text.splitlines() if line.startswith(REMARKS)), None)
    if problem.status == "ready" and remark:
        check.fail("remark-left", path=path, text=remark)


def outline(text: str) -> dict[str, list[str] | int]:
    """The structure of a page: heading levels in order, and how many code blocks, tables and list items it has."""
    prose = _FENCE.sub("", text)
    return {
        "headings": re.findall(r"(?m)^(#+) ", prose),
        "code": len(_FENCE.findall(text)),
        "tables": len(re.findall(r"(?m)^\|[-| :]+\|$", prose)),
        "items": len(re.findall(r"(?m)^\s*(?:[-*]|\d+\.) ", prose)),
    }


def _compare_pages(check: Check, problem: Problem, page: str) -> None:
    zh, en = (outline(problem.text(f"{page}.{lang}.md") or "") for lang in LANGS)
    if problem.text(f"{page}.zh.md") == problem.text(f"{page}.en.md"):
        check.fail("same-text", page=page)
    for what in zh:
        if zh[what] != en[what]:
            check.fail("outline", page=page, what=what, zh=_short(zh[what]), en=_short(en[what]))


def _short(found: list[str] | int) -> str:
    return " ".join(found) if isinstance(found, list) else str(found)


def _compare_keys(check: Check, section: str, zh: Collection[str], en: Collection[str]) -> None:
    for lang, missing in (("en", set(zh) - set(en)), ("zh", set(en) - set(zh))):
        for key in sorted(missing):
            check.fail("no-message", path=f"messages.{lang}.toml", section=section, key=key)


def check_files(problem: Problem) -> Check:
    """A folder called by its number; enough wrong solutions, each saying in its first line which advice it must meet."""
    wrong, advice = wrong_answers(problem), problem.messages("zh").advice
    found = {path: expected_key(source) for path, source in wrong.items()}
    kinds = len(set(found.values()) - {""})
    check = Check("files", {"right": len(right_answers(problem)), "wrong": len(wrong), "kinds": kinds})
    if problem.folder.name.partition("-")[0] != str(problem.number):
        check.fail("folder-number", folder=problem.folder.name, number=problem.number, slug=problem.slug)
    least = WRONG_AT_LEAST[problem.status]
    if len(wrong) < least:
        check.fail("few-wrong", count=len(wrong), least=least)
    first: dict[bytes, str] = {}
    for path, source in wrong.items():
        other = first.setdefault(source.partition(b"\n")[2].strip(), path)
        if other != path:
            check.fail("same-wrong", path=path, other=other)
    for path, key in found.items():
        if not key:
            check.fail("no-expects", path=path)
        elif key not in advice:
            check.fail("no-advice", key=key, where=path)
    for path, key in named_in_cases(problem):
        if key not in advice:
            check.fail("no-advice", key=key, where=path)
    return check


def named_in_cases(problem: Problem) -> list[tuple[str, str]]:
    """Path and key of each mistake that a file of the cases names by a text: ``mistake=``, ``dtype=`` and so on of a
    check, the keys of ``known=``, what ``means=`` makes of an ending."""
    found = set()
    for path, source in problem.files.items():
        if not (path.startswith("tests/") and path.endswith(".py")):
            continue
        for node in _calls(source):
            for one in node.keywords:
                parts: list[ast.expr | None] = [one.value] if one.arg in _ASPECTS and _is_check(node) else []
                if one.arg in ("known", "means") and isinstance(one.value, ast.Dict):
                    parts = [*(one.value.keys if one.arg == "known" else one.value.values)]
                texts = [part.value for part in parts if isinstance(part, ast.Constant)]
                found |= {(path, text) for text in texts if isinstance(text, str)}
    return sorted(found)


def _calls(source: bytes) -> list[ast.Call]:
    """All calls of a file; none of one that does not parse, which the judgements tell."""
    try:
        return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except SyntaxError:
        return []


def _is_check(node: ast.Call) -> bool:
    """Whether a call is ``check.something(...)``."""
    of = node.func.value if isinstance(node.func, ast.Attribute) else None
    return isinstance(of, ast.Name) and of.id == "check"


def expected_key(source: bytes) -> str:
    """The mistake that a wrong solution's first line names, or ""."""
    match = EXPECTS.match(source.partition(b"\n")[0])
    return match[1].decode() if match else ""
