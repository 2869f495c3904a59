"""Where a missing entry point may be: a name like it, or the name itself not at the top level.

Only cells parse what a learner wrote; here its lines are looked through, and nothing depends on what is found.
"""

from __future__ import annotations

import difflib
import itertools
import re
from typing import Any

_ASSIGNED = re.compile(r"^([^\W\d]\w{0,79})[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)
_DEFINED = re.compile(r"^([ \t]*)(?:async[ \t]+def|def|class)[ \t]+([^\W\d]\w{0,79})", re.MULTILINE)
_NAMES_MAX = 2000


def look_for(entry: str, source: bytes) -> dict[str, Any]:
    """``similar`` and its ``line`` for a misspelt ``entry``, ``indented`` for one that is no top-level definition."""
    text = source.decode("utf-8-sig", "replace")
    top: dict[str, int] = {}  # where each name stands
    matches = itertools.chain(_DEFINED.finditer(text), _ASSIGNED.finditer(text))
    for found in itertools.islice(matches, _NAMES_MAX):
        indent, name = found.groups() if len(found.groups()) == 2 else ("", found[1])
        if not indent:
            top.setdefault(name, found.start())
        elif name == entry:
            return {"indented": True, "line": _line(text, found.start())}
    by_lower = {name.lower(): name for name in top}
    near = difflib.get_close_matches(entry.lower(), by_lower, n=1, cutoff=0.7)
    return {"similar": by_lower[near[0]], "line": _line(text, top[by_lower[near[0]]])} if near else {}


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
