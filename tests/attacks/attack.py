"""An attack as a file: what it tries, how it must end, and what shows that it was really made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"
_HEAD = re.compile(r"# (?P<kind>\d+): (?P<tries>.+)")
_LINE = re.compile(r"# (?P<key>ends as|shows|earns|source|twice|site)(?:: (?P<text>.+))?")


@dataclass(frozen=True)
class Attack:
    """One file of cases/. Its head: ``# KIND: what it tries``, then the lines that _LINE knows.

    ``shows`` are patterns that the report must hold: an attack that was not made proves nothing.
    """

    path: Path
    kind: int  # the number of the list of known attacks that it belongs to
    tries: str
    verdict: str = "WA"
    earns: float = 0.0  # percent, where the examples may be had honestly
    shows: list[str] = field(default_factory=list)
    source: bytes = b""
    twice: bool = False  # the second time looks for what the first has left
    on_site: bool = False  # it attacks the web site: defines attack(site)

    @property
    def name(self) -> str:
        """For test ids."""
        return self.path.stem


def read_attack(path: Path) -> Attack:
    """The attack in a file; ValueError where its head is none."""
    text = path.read_text("utf-8")
    first, *rest = text.splitlines()
    head = _HEAD.fullmatch(first)
    if head is None or int(head["kind"]) != int(path.name.partition("_")[0]):
        raise ValueError(f"{path.name}: the first line has to be '# KIND: what it tries'")
    words: dict[str, Any] = {"source": text.encode(), "shows": []}
    for line in rest:
        found = _LINE.fullmatch(line)
        if found is None:
            break
        key, said = found["key"], found["text"]
        if key == "shows":
            words["shows"].append(said)
        elif key == "source":
            made = eval(said)  # bytes that no file of Python could hold
            words["source"] = made.encode() if isinstance(made, str) else made
        elif key in ("twice", "site"):
            words["twice" if key == "twice" else "on_site"] = True
        else:
            words["verdict" if key == "ends as" else "earns"] = said if key == "ends as" else float(said)
    if not words["shows"]:
        raise ValueError(f"{path.name}: nothing shows that it was made")
    return Attack(path, int(head["kind"]), head["tries"], **words)


def all_attacks() -> list[Attack]:
    """Every file of cases/, in order."""
    return [read_attack(path) for path in sorted(CASES.glob("[0-9]*.py"))]


def evidence(report: dict[str, Any]) -> str:
    """What a report tells of a submission's doings: output, messages, values, facts."""
    return "\n".join(_told(report))


def _told(report: dict[str, Any]) -> Iterator[str]:
    if report["load"] is not None:
        yield json.dumps(report["load"], ensure_ascii=False)
    for case in report["cases"]:
        yield json.dumps(case["facts"], ensure_ascii=False)
        yield from (str(case["detail"].get(key, "")) for key in ("stdout", "name", "message", "got"))


def complaints(attack: Attack, report: dict[str, Any]) -> list[str]:
    """Why this attack does not count as defeated; empty when it was made, and came to nothing."""
    told = evidence(report)
    found = [f"worked: {line}" for line in told.splitlines() if "WORKED" in line]
    if report["verdict"] != attack.verdict:
        found.append(f"ended as {report['verdict']} and not {attack.verdict}")
    if report["score"] != attack.earns:
        found.append(f"earned {report['score']} and not {attack.earns}")
    found += [f"nothing shows {pattern!r}" for pattern in attack.shows if not re.search(pattern, told)]
    text = json.dumps(report, ensure_ascii=False)
    found += [f"{sign!r} in the report" for sign in ("\x1b", "\x9b", "\u202e", "\\u0000") if sign in text]
    return found if not found else [*found, told[-3000:]]
