"""The failed cases of a judgement for a human: advice first, then facts, pictures and values as far as they are shown."""

from __future__ import annotations

from typing import Any

from judge.cli.context import Context
from judge.words import verdict_word
from judge.words.drivers import argument_lines

SIGNS = {"AC": "✓", "SKIP": "-", "SE": "!"}
COLOURS = {"AC": "green", "SKIP": "dim", "SE": "yellow"}
VALUE_MAX_CHARS = 400
Case = dict[str, Any]


def show_failures(context: Context, cases: list[Case], verbose: bool) -> None:
    """The first case of each mistake whole, the others by name; every one whole when asked."""
    groups: dict[Any, list[Case]] = {}
    for case in cases:
        groups.setdefault(case["name"] if verbose else _mistake(case), []).append(case)
    advised: set[str] = set()
    for first, *more in groups.values():
        _show_failed(context, first, advised, verbose)
        if more:
            names = context.text("names-join").join(case["name"] for case in more)
            key = "same-mistake" if len(more) > 1 else "same-mistake-one"
            context.out.print(context.out.wrap(context.text(key, count=len(more), names=names), "    "))


def _mistake(case: Case) -> tuple[Any, ...]:
    """What cases of one mistake share: its key, or the exception and the line where it was raised."""
    facts = case.get("facts") or {}
    if case.get("mistake"):
        return case["verdict"], case["mistake"]
    return case["verdict"], facts.get("kind"), facts.get("builtin"), tuple(facts.get("lines") or ())


def _show_failed(context: Context, case: Case, advised: set[str], verbose: bool) -> None:
    out, verdict = context.out, case["verdict"]
    word = f"{verdict} {verdict_word(verdict, context.lang)}"
    sign = SIGNS.get(verdict, "✗")
    out.print(f"{out.style(f'{sign} {word}', colour(verdict), 'bold')}  {titled(context, case)}")
    advice = case.get("advice")
    if advice and advice in advised:
        out.print(f"    {context.text('advice-above')}")
    elif advice:
        advised.add(advice)
        out.print(out.wrap(advice, "    "))
    if case.get("message"):
        out.print(out.style(out.wrap(case["message"], "    "), "dim"))
    _show_pictures(context, case, verbose)
    if verbose or case["group"] == "example":
        _show_detail(context, case.get("detail") or {})


def _show_pictures(context: Context, case: Case, verbose: bool) -> None:
    """What the pictures of the case say; without ``verbose`` those alone that show a difference."""
    out = context.out
    for one in case.get("pictures") or []:
        telling = not one.get("same", one["kind"] != "tensor" and one.get("got") is None)
        if telling or verbose:
            out.print(out.wrap(f"{one['title']}", "    "))
            out.print(out.wrap(one["sentence"], "      "))
    if case.get("tolerance_reason") and verbose:
        out.print(out.style(out.wrap(case["tolerance_reason"], "    "), "dim"))


def _show_detail(context: Context, detail: dict[str, Any]) -> None:
    """What was passed in, what came back, what was printed: as far as the level left any of it."""
    out = context.out
    for call in detail.get("inputs", []):
        if "driver" in call:
            out.print(out.wrap(call["driver"], "    "))
            for line in argument_lines(call):
                out.print(out.wrap(_cut(line), "      "))
            continue
        given = [*call["args"], *(f"{name}={value}" for name, value in call["kwargs"].items())]
        out.print(
            out.wrap(context.text("called", call=f"{call['call']}({', '.join(map(_cut, given))})"), "    ")
        )
    for name in ("got", "want"):
        if name in detail:
            out.print(out.wrap(context.text(name, value=_cut(str(detail[name]))), "    "))
    if detail.get("stdout"):
        out.print(f"    {context.text('printed')}")
        out.print(out.wrap(detail["stdout"].rstrip(), "    | "))


def titled(context: Context, case: Case) -> str:
    """A case's title with its group and name."""
    group = context.text(case["group"])
    title = case.get("title") or case["name"]
    place = context.out.style(f"({group}, {case['name']})", "dim")
    return f"{title}  {place}"


def _cut(text: str) -> str:
    return text if len(text) <= VALUE_MAX_CHARS else f"{text[:VALUE_MAX_CHARS]} ..."


def colour(verdict: str) -> str:
    """The colour of a verdict."""
    return COLOURS.get(verdict, "red")
