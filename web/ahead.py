"""What a page's script will ask for, told to the browser with the page: else each import waits for the one before it."""

from __future__ import annotations

import re
from pathlib import Path

_IMPORTED = re.compile(r"""^(?:import|export)\b[^'"]*?['"]\./(\w+\.js)['"]""", re.MULTILINE)
EDITOR = "vendor/monaco.js"


def modules_of(static: Path, name: str) -> list[str]:
    """The modules below ``static`` that the script ``js/name`` imports, and those that these do; not itself."""
    found, waiting = [name], [name]
    while waiting:
        script = static / "js" / waiting.pop()
        text = script.read_text(encoding="utf-8") if script.is_file() else ""
        fresh = [one for one in _IMPORTED.findall(text) if one not in found]
        found += fresh
        waiting += fresh
    return [f"js/{one}" for one in found[1:]]


def editor_modules(static: Path) -> list[str]:
    """Monaco's module and the pieces of the bundle that it imports at once; none where it was not built."""
    entry = static / EDITOR
    if not entry.is_file():
        return []
    head = entry.read_text(encoding="utf-8")
    pieces = re.findall(r"""(?:from|import)\s?["']\./(chunk-[\w-]+\.js)["']""", head)
    return [EDITOR, *(f"vendor/{piece}" for piece in dict.fromkeys(pieces))]
