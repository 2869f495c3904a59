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
    """One line with its places filled; KeyError for an unknown key."""
    return lines(lang)[key].format(**values)


def describe(check: Check, lang: str) -> list[str]:
    """A check as lines: its figures, then what is to be mended, at most `FAILURES_SHOWN` of it."""
    mark = "✓" if check.passed else "✗"
    told = [f"{mark} {say(f'check.{check.name}', lang, **check.figures)}"]
    told += [f"    {say(f'fail.{one.key}', lang, **one.values)}" for one in check.failures[:FAILURES_SHOWN]]
    if len(check.failures) > FAILURES_SHOWN:
        told.append(f"    {say('gate.more', lang, count=len(check.failures) - FAILURES_SHOWN)}")
    return told
