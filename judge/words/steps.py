"""The operations that led to a failure, as numbered sentences in the problem's own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judge.words.table import Words


class _Places(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def step_sentences(case: Mapping[str, Any], templates: Mapping[str, str], table: Words) -> Iterator[str]:
    """After how many operations it showed and, where the inputs may be shown, which these were, one a line."""
    count = (case.get("facts") or {}).get("operations")
    if not count:
        return
    yield table.say("steps", "after", count=count)
    steps = (case.get("detail") or {}).get("steps", [])
    if not steps:
        return
    yield "\n" + table.say("steps", "listed")
    hidden = count - len(steps)
    if hidden:
        yield "\n" + table.say("steps", "more", count=hidden)
    for number, step in enumerate(steps, hidden + 1):
        text = templates.get(step["op"], step["op"]).format_map(_Places(step))
        yield "\n" + table.say("steps", "one", number=number, text=text)
