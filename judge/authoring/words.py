"""The gate's lines in both languages, from ``words_zh.toml`` and ``words_en.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from judge.authoring.outcome import Check

FAILURES_SHOWN = 12


@cache
def lines(lang: str) -> dict[str, str]:
    """All lines of one language by dotted key: ``check.solutions``, ``fail.not-accepted``, ``gate.passed``."""
    path = Path(__file__).with_name(f"words_{lang}.toml")
    sections = tomllib.loads(path.read_text(encoding="utf-8"))
    return {f"{section}.{key}": text for section, table in sections.items() for key, text in table.items()}


def say(key: str, lang: str, /, **values: Any) -> str:
    """One line with its places filled, a value by language with that language's text; KeyError for an unknown key."""
    said = {name: value[lang] if isinstance(value, dict) else value for name, value in values.items()}
    return lines(lang)[key].format(**said)


def describe(check: Check, lang: str, verbose: bool = False) -> list[str]:
    """A check as lines: its figures, then what is to be mended; ``verbose`` all of that, and what is worth knowing."""
    mark = "✓" if check.passed else "✗"
    told = [f"{mark} {say(f'check.{check.name}', lang, **check.figures)}"]
    shown = check.failures if verbose else check.failures[:FAILURES_SHOWN]
    told += [_indented(say(f"fail.{one.key}", lang, **one.values)) for one in shown]
    if len(shown) < len(check.failures):
        told.append(_indented(say("gate.more", lang, count=len(check.failures) - len(shown))))
    if verbose:
        told += [_indented(say(f"note.{one.key}", lang, **one.values)) for one in check.notes]
    return told


def _indented(text: str) -> str:
    return "    " + text.replace("\n", "\n    ")
