"""Calls of a problem's driver in words: what harness.py does with the submission, by the author's sentence and by name."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from typing import Any

from judge.words.table import Words

_PREFIX = "harness."


def told_call(
    one: Mapping[str, Any], drivers: Mapping[str, str], harness: str | None, table: Words
) -> dict[str, Any]:
    """A copy of a recorded call. One of a driver gains ``driver``, a sentence, and ``names`` of its arguments."""
    name = str(one["call"])
    if not name.startswith(_PREFIX):
        return dict(one)
    name = name.removeprefix(_PREFIX)
    known, rest = _parameters(harness or "").get(name, ((), "args"))
    names = [known[i] if i < len(known) else f"{rest}[{i - len(known)}]" for i in range(len(one["args"]))]
    return {**one, "driver": drivers.get(name) or table.say("case", "driver", name=name), "names": names}


def argument_lines(one: Mapping[str, Any]) -> list[str]:
    """The arguments of a driver's call by name, one a line."""
    named = [*zip(one["names"], one["args"], strict=True), *one["kwargs"].items()]
    return [f"{name} = {text}" for name, text in named]


@functools.lru_cache(maxsize=64)
def _parameters(harness: str) -> dict[str, tuple[tuple[str, ...], str]]:
    """Of each function of a harness its parameters and the name of the rest; the problem's own file may be parsed here."""
    functions = [one for one in ast.parse(harness).body if isinstance(one, ast.FunctionDef)]
    return {
        one.name: (
            tuple(argument.arg for argument in one.args.args),
            one.args.vararg.arg if one.args.vararg else "args",
        )
        for one in functions
    }
