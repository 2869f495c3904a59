"""What of a report may be shown: the one place where a level is applied, before a report leaves judge."""

from __future__ import annotations

import math
from typing import Any, Literal

Level = Literal["verdict", "diagnosis", "full"]
LEVELS: tuple[Level, ...] = ("verdict", "diagnosis", "full")
TIME_STEP_S = 0.01
MEMORY_STEP_MIB = 16.0
_RESULT_KEYS = ("name", "group", "part", "verdict", "points", "max_points", "ran")
_DIAGNOSIS_KEYS = (*_RESULT_KEYS, "mistake", "facts")


def disclose(report: dict[str, Any], level: Level) -> dict[str, Any]:
    """A copy of ``report`` as ``level`` allows: example cases whole, hidden ones less, and below full no seed.

    verdict: of hidden cases the verdict and points alone. diagnosis: their mistake and facts too, time and memory
    in coarse steps. full: everything. Why a submission could not be loaded is always shown: no input existed yet.

    Raises:
        ValueError: an unknown level.
    """
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}")
    if level == "full":
        return dict(report)
    # the seed gives every hidden input to whoever has the cases
    shown = {key: value for key, value in report.items() if key != "seed"}
    shown["phases"] = {name: _up(seconds, TIME_STEP_S) for name, seconds in report["phases"].items()}
    shown["cases"] = [disclose_case(case, level) for case in report["cases"]]
    return shown


def disclose_case(case: dict[str, Any], level: Level) -> dict[str, Any]:
    """A copy of one case's record as ``level`` allows; for cases shown while a judgement still runs."""
    if level == "full" or case["group"] == "example":
        return dict(case)
    kept = _RESULT_KEYS if level == "verdict" else _DIAGNOSIS_KEYS
    shown = {"mistake": None, "facts": {}, **{key: case[key] for key in kept}, "detail": {}}
    shown["time_s"] = _up(case["time_s"], TIME_STEP_S)
    shown["memory_mib"] = _up(case["memory_mib"], MEMORY_STEP_MIB)
    return shown


def _up(value: float, step: float) -> float:
    return round(math.ceil(value / step - 1e-9) * step, 6)
