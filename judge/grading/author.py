"""What the cases of a problem are written with: `case`, `check` and `wrong`; `picture` and `reproduce` for what is shown.

A failed check raises `Wrong`, which holds the mistake's key and facts; words are chosen when a report is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

import torch

from judge.grading.compare import Difference, compare_exactly, compare_tensors, same_values, tolerance_for
from judge.grading.pictures import picture
from judge.grading.reproduce import Compared, reproduce
from judge.grading.shown import describe, type_name
from judge.problem_fields import Tolerance

__all__ = ["Wrong", "case", "check", "picture", "reproduce", "wrong"]

Function = TypeVar("Function", bound=Callable[..., Any])
Known = Mapping[str, Callable[[], Any]]
CASE_MARK = "__judge_case__"


@dataclass(frozen=True)
class CaseMark:
    """What `case` leaves on a test function."""

    part: str
    points: int
    means: Mapping[str, str] = field(default_factory=dict)  # an ending that is no WA to its mistake key


class Wrong(Exception):
    """A WA: the mistake's key, facts that may always be shown, and a detail that holds values."""

    def __init__(
        self,
        mistake: str,
        facts: dict[str, Any],
        detail: dict[str, Any],
        compared: Compared | None = None,
    ) -> None:
        super().__init__(mistake)
        self.mistake = mistake
        self.facts = facts
        self.detail = detail
        self.compared = compared  # the values themselves, for a file that reproduces the case


@dataclass
class _Surroundings:
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    spent_s: float = 0.0  # wall time within checks, for the report's phases


_here = _Surroundings()


def compare_seconds() -> float:
    """Wall seconds spent in checks by this process so far."""
    return _here.spent_s


@contextmanager
def tolerances(table: Mapping[str, Tolerance]) -> Iterator[None]:
    """Within this, checks use ``table`` (dtype name to tolerance): the grader gives the problem's."""
    before, _here.tolerances = _here.tolerances, table
    try:
        yield
    finally:
        _here.tolerances = before


def case(*, part: str, points: int, means: Mapping[str, str] | None = None) -> Callable[[Function], Function]:
    """Marks a pytest function as a case of ``part`` worth ``points``; each parameter set is a case of its own.

    ``means`` names the mistake where the case was made to see one as something else than a wrong value: verdicts
    (``"TLE"``, ``"RE"``) or builtin exceptions (``"KeyError"``) to mistake keys.
    """
    if type(points) is not int or points < 1:
        raise ValueError("points must be an integer of at least 1")

    def mark(function: Function) -> Function:
        setattr(function, CASE_MARK, CaseMark(part, points, means or {}))
        return function

    return mark


def wrong(mistake: str, *, field: str = "", **values: Any) -> NoReturn:
    """Ends the case as WA for ``mistake``; ``got=`` and ``want=`` are shown where values may be shown."""
    detail: dict[str, Any] = {name: describe(values[name]) for name in ("got", "want") if name in values}
    compared = Compared(values["got"]) if "got" in values else None
    raise Wrong(mistake, {"kind": "wrong", "field": field, "aspects": []}, detail, compared)


@contextmanager
def _timed() -> Iterator[None]:
    start = time.perf_counter()
    try:
        yield
    finally:
        _here.spent_s += time.perf_counter() - start


class _Check:
    """The checks, as one name: ``check.tensor(...)``."""

    def tensor(
        self,
        got: object,
        *,
        like: torch.Tensor,
        field: str,
        mistake: str,
        dtype: str | None = None,
        shape: str | None = None,
        device: str | None = None,
        contiguous: str | None = None,
        known: Known | None = None,
        axes: tuple[int, int] | None = None,
    ) -> None:
        """``got`` is a tensor like ``like`` in dtype, shape, device and values, by the problem's tolerance.

        ``axes`` are those that a picture of wrong values shows (default: the last two). ``dtype``, ``shape``, ``device`` name the mistake of that aspect (default ``mistake``); ``contiguous`` asks for
        a contiguous tensor too. ``known`` maps keys to wrong values, made only when shape or values differ: the first
        that ``got`` equals names the mistake.
        """
        with _timed():
            tolerance = tolerance_for(like, _here.tolerances)
            facts = _cell_facts(got)
            apart = None if facts is None or contiguous is None else bool(facts.contiguous)
            difference = compare_tensors(got, like, tolerance, contiguous=apart)
            if difference is None:
                return
            keys = {"dtype": dtype, "shape": shape, "device": device, "contiguous": contiguous}
            key = keys.get(difference.aspects[0]) or mistake
            if difference.aspects[0] in ("shape", "values"):
                key = _named(known, lambda value: same_values(got, value, tolerance)) or key
            if facts is not None:
                difference.facts["stride"] = {"got": list(facts.stride)[:8], "want": list(like.stride())[:8]}
                difference.facts["form"]["got"] |= {"contiguous": bool(facts.contiguous)}
                difference.facts["form"]["want"] |= {"contiguous": like.is_contiguous()}
            picture.tensor(got, like, field=field, axes=axes, tolerance=tolerance)
            asked = contiguous is not None
            _refuse(key, field, difference, Compared(got, like, tolerance, contiguous=asked))

    def equal(
        self, got: object, want: object, *, field: str, mistake: str, known: Known | None = None
    ) -> None:
        """``got`` is exactly ``want``, type for type; for numbers, texts and containers of them."""
        with _timed():
            difference = compare_exactly(got, want)
            if difference is not None:
                key = _named(known, lambda v: compare_exactly(got, v) is None) or mistake
                _refuse(key, field, difference, Compared(got, want))

    def that(self, condition: bool, *, mistake: str, field: str = "", **values: Any) -> None:
        """``condition`` holds; ``got=`` and ``want=`` as in `wrong`."""
        if not condition:
            wrong(mistake, field=field, **values)

    def keys(self, got: object, names: Collection[str], *, mistake: str, field: str = "") -> None:
        """``got`` is a dict that has at least ``names``."""
        if not isinstance(got, dict):
            difference = Difference(
                ("type",), {"type": {"got": type_name(got), "want": "dict"}}, {"got": describe(got)}
            )
            _refuse(mistake, field, difference, Compared(got))
        missing = sorted(name for name in names if name not in got)
        if missing:
            found = describe([key for key in got], 400)
            lacking = Difference(("keys",), {"keys": {"missing": missing}}, {"got": found})
            _refuse(mistake, field, lacking, Compared(got))


check = _Check()


def _named(known: Known | None, fits: Callable[[Any], bool]) -> str | None:
    return next((key for key, make in (known or {}).items() if fits(make())), None)


def _refuse(mistake: str, field: str, difference: Difference, compared: Compared) -> NoReturn:
    facts = {"kind": "wrong", "field": field, "aspects": list(difference.aspects), **difference.facts}
    raise Wrong(mistake, facts, difference.detail, compared)


def _cell_facts(got: object) -> Any:
    """The cell's facts about a received tensor, or None where it did not come from a cell."""
    from sandbox.proxy import facts

    return facts(got) if isinstance(got, torch.Tensor) else None
