"""Reports on their way into storage: nothing a learner wrote may upset a database or a reader."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_UNFIT = re.compile("[\x00\ud800-\udfff]")


def dump_report(report: dict[str, Any]) -> str:
    """A report as JSON in ASCII, cleaned: nothing a learner wrote can upset a database or a browser."""
    return json.dumps(clean(report), ensure_ascii=True, allow_nan=False)


def clean(value: Any) -> Any:
    """``value`` as any reader can take it: no NaN or infinity as a number, no NUL or lone surrogate in a text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str):
        return _UNFIT.sub("\ufffd", value)
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    return value
