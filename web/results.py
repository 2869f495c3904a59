"""A submission's view put in the order in which it is read: what failed first, then what did not run, then the rest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from judge.queued import EXACT_BELOW
from judge.tally import PartPoints, failing_kinds, points_by_part
from web.current import View

PHASES = ("queued_s", "start_s", "cell_s", "load_s", "cases_s", "compare_s", "record_s")
SIGNS = {"AC": "✓", "SKIP": "–", "SE": "⚠"}
Case = dict[str, Any]


@dataclass(frozen=True)
class Phase:
    """One stretch of a judgement's time."""

    name: str
    seconds: float
    share: float  # of all phases together, in percent


@dataclass(frozen=True)
class Arranged:
    """A view ready for the template."""

    view: View
    failed: list[Case]  # ran, and not accepted; the first is shown open
    not_run: list[Case]  # took the verdict of a case that ended the judgement
    passed: list[Case]
    skipped: list[Case]
    total: int
    phases: list[Phase]
    kinds: list[tuple[str, int]]  # failing cases by verdict, where there are several kinds
    parts: list[PartPoints]  # of a scored judgement of a problem with several parts

    @property
    def done(self) -> bool:
        """Whether the verdict is final."""
        return bool(self.view["status"] == "done")

    @property
    def far_behind(self) -> bool:
        """Whether its place in the queue is told roughly."""
        return bool(self.view["queue_position"] > EXACT_BELOW)

    @property
    def known(self) -> int:
        """How many cases have a verdict so far."""
        return len(self.view["cases"])


def arrange(view: View) -> Arranged:
    """Sort the cases of a view and name its phases."""
    cases: list[Case] = view.get("cases") or []
    view = {**view, "cases": cases}
    wrong = [case for case in cases if case["verdict"] not in ("AC", "SKIP")]
    return Arranged(
        view=view,
        failed=[case for case in wrong if case.get("ran", True)],
        not_run=[case for case in wrong if not case.get("ran", True)],
        passed=[case for case in cases if case["verdict"] == "AC"],
        skipped=[case for case in cases if case["verdict"] == "SKIP"],
        total=max(view.get("cases_total") or 0, len(cases)),
        phases=phases(view.get("phases") or {}),
        kinds=failing_kinds(cases) if view["status"] == "done" else [],
        parts=_parts(view, cases),
    )


def _parts(view: View, cases: list[Case]) -> list[PartPoints]:
    scored = view["status"] == "done" and view["mode"] == "submit" and view["verdict"] not in ("SE", "SKIP")
    parts = points_by_part(cases) if scored else []
    return parts if len(parts) > 1 else []


def phases(seconds: dict[str, float]) -> list[Phase]:
    """The phases that took any time, in the order in which they happen."""
    known = [(name, float(seconds.get(name) or 0)) for name in PHASES]
    total = sum(value for _, value in known)
    return [Phase(name.removesuffix("_s"), value, 100 * value / total) for name, value in known if value > 0]


def sign(verdict: str | None) -> str:
    """The sign that stands beside a verdict's word, so that colour never carries meaning alone."""
    return SIGNS.get(verdict, "✗") if verdict else "…"


def points(value: float) -> str:
    """A score or points without needless decimals: 62.5, 100."""
    return f"{value:.1f}".removesuffix(".0")


def seconds(value: float) -> str:
    """A duration as read by people: 12 ms, 0.4 s, 2.1 s."""
    return f"{value * 1000:.0f} ms" if value < 0.1 else f"{value:.2f} s"


def moment(when: str | datetime) -> str:
    """A time, ISO or not, in the server's own time zone, to the minute."""
    return local(when).strftime("%Y-%m-%d %H:%M")


def day(when: str | datetime) -> str:
    """A time in the server's own time zone as month and day."""
    found = local(when)
    return f"{found.month:02}-{found.day:02}"


def local(when: str | datetime) -> datetime:
    """A time in the server's own time zone."""
    return (datetime.fromisoformat(when) if isinstance(when, str) else when).astimezone()
