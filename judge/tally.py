"""What a judgement came to beside its one verdict: failing cases by verdict, points by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from judge.verdict import SHOWN_FIRST, Verdict

NOT_RUN = "not-run"
_PASSED = (Verdict.AC, Verdict.SKIP)


@dataclass(frozen=True)
class PartPoints:
    """What one part of a problem earned."""

    name: str
    points: float
    max_points: float


def failing_kinds(cases: Iterable[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """How many cases failed by each verdict, most first, then how many were not run (`NOT_RUN`).

    Empty unless there are two kinds or more: a single kind is told by the verdict of the whole.
    """
    failed = [case for case in cases if case["verdict"] not in _PASSED]
    ran = Counter(str(case["verdict"]) for case in failed if case.get("ran", True))
    found = sorted(ran.items(), key=lambda one: (-one[1], SHOWN_FIRST.index(Verdict(one[0]))))
    not_run = len(failed) - ran.total()
    found += [(NOT_RUN, not_run)] if not_run else []
    return found if len(found) > 1 else []


def points_by_part(cases: Iterable[Mapping[str, Any]]) -> list[PartPoints]:
    """The points of each part in the order of the cases; skipped cases do not count, as in the score."""
    counted = [case for case in cases if case["verdict"] != Verdict.SKIP]
    found = []
    for name in dict.fromkeys(case["part"] for case in counted):
        of_part = [case for case in counted if case["part"] == name]
        points = sum(case["points"] for case in of_part)
        found.append(PartPoints(name, points, sum(case["max_points"] for case in of_part)))
    return found
