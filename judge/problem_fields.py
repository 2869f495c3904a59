"""The values that a problem's TOML files hold, read strictly: see `judge.toml_table` for the complaints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from judge.toml_table import LANGUAGES, Table, TableError, parse_table
from sandbox.contract import Limits

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
ADVICE_MAX_CHARS = 300


@dataclass(frozen=True)
class Tolerance:
    """A tensor is right where ``|got - want| <= atol + rtol * |want|``."""

    atol: float
    rtol: float


@dataclass(frozen=True)
class Part:
    """A set of cases with points of its own."""

    name: str
    points: int
    title: Mapping[str, str]


@dataclass(frozen=True)
class Messages:
    """The problem's own words in one language: a title by case name, an advice by mistake key.

    ``steps``: a sentence by operation, with ``{argument}`` places, for runs of `judge.grading.stateful`.
    ``drivers``: what a function of harness.py does with the submission, shown with its arguments.
    """

    cases: Mapping[str, str]
    advice: Mapping[str, str]
    steps: Mapping[str, str] = field(default_factory=dict)
    drivers: Mapping[str, str] = field(default_factory=dict)


def read_slug(table: Table) -> str:
    """The slug, part of a URL."""
    slug = table.text("slug")
    if not SLUG.fullmatch(slug):
        raise table.fail("slug", "lower-case words joined by hyphens, such as ms-attn-metadata")
    return slug


def read_entry_points(table: Table) -> tuple[str, ...]:
    """The functions that a submission must define."""
    names = table.texts("entry_points")
    if not names or not all(name.isidentifier() and not name.startswith("_") for name in names):
        raise table.fail("entry_points", "a list of at least one public Python name")
    return names


def read_parts(table: Table, complete: bool) -> tuple[Part, ...]:
    """The parts, each with a name of its own."""
    parts = []
    for one in table.tables("parts"):
        parts.append(
            Part(one.text("name"), one.integer("points", 1), one.both_languages("title", required=complete))
        )
        one.done()
    if len({part.name for part in parts}) != len(parts):
        raise table.fail("parts", "tables with different names")
    return tuple(parts)


def read_limits(table: Table) -> Limits:
    """The limits of ``[limits]``."""
    limits = Limits(
        time_limit_s=table.number("time_limit_s"),
        load_limit_s=table.number("load_limit_s"),
        judgement_limit_s=table.number("judgement_limit_s"),
        memory_limit_mib=table.integer("memory_limit_mib", least=16),
        output_limit_kib=table.integer("output_limit_kib", least=1),
    )
    table.done()
    if limits.judgement_limit_s < limits.time_limit_s:
        raise table.fail("judgement_limit_s", "at least time_limit_s")
    return limits


def read_tolerances(table: Table) -> tuple[dict[str, Tolerance], dict[str, str]]:
    """Tolerances by dtype name, and their reason by language; both may be empty."""
    if not table.has("tolerances"):
        return {}, {}
    inner = table.table("tolerances")
    reason = inner.both_languages("reason", required=False)
    found = {}
    for dtype in inner.remaining():
        one = inner.table(dtype)
        found[dtype] = Tolerance(one.number("atol", strict=False), one.number("rtol", strict=False))
        one.done()
    return found, reason


def read_messages(files: Mapping[str, bytes], complete: bool) -> dict[str, Messages]:
    """The messages by language; a complete problem has every language."""
    found = {}
    for lang in LANGUAGES:
        path = f"messages.{lang}.toml"
        if path not in files:
            if complete:
                raise TableError(f"{path} is missing; a ready problem has zh and en")
            continue
        table = parse_table(files[path], path)
        cases, advice = table.table("cases"), table.table("advice")
        steps = _texts(table.table("steps")) if table.has("steps") else {}
        drivers = _texts(table.table("drivers")) if table.has("drivers") else {}
        found[lang] = Messages(_texts(cases), _texts(advice, ADVICE_MAX_CHARS), steps, drivers)
        table.done()
    if len({tuple(sorted(one.steps)) for one in found.values()}) > 1:
        raise TableError("messages.*.toml [steps]: the languages name different operations")
    if len({tuple(sorted(one.drivers)) for one in found.values()}) > 1:
        raise TableError("messages.*.toml [drivers]: the languages name different functions")
    return found


def _texts(table: Table, max_chars: int = 200) -> dict[str, str]:
    texts = {}
    for key in table.remaining():
        texts[key] = table.text(key).strip()
        if len(texts[key]) > max_chars:
            raise table.fail(key, f"at most {max_chars} characters long")
    return texts
