"""What a judgement came to beside its one verdict."""

from __future__ import annotations

from typing import Any

from judge.tally import failing_kinds, points_by_part


def a_case(verdict: str, part: str = "a", ran: bool = True) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "part": part,
        "ran": ran,
        "points": 2 if verdict == "AC" else 0,
        "max_points": 2,
    }


def test_kinds_are_told_most_first_and_only_where_there_are_several() -> None:
    mixed = [a_case(verdict) for verdict in ("AC", "MLE", "WA", "WA", "SKIP", "RE")]
    assert failing_kinds(mixed) == [("WA", 2), ("MLE", 1), ("RE", 1)]
    assert failing_kinds([a_case("WA"), a_case("WA"), a_case("AC")]) == []
    assert failing_kinds([]) == []


def test_cases_that_were_not_run_are_a_kind_of_their_own() -> None:
    ended = [a_case("WA"), a_case("TLE"), a_case("TLE", ran=False), a_case("TLE", ran=False)]
    assert failing_kinds(ended) == [("TLE", 1), ("WA", 1), ("not-run", 2)]
    assert failing_kinds([a_case("CE", ran=False)] * 3) == []


def test_points_by_part_leave_skipped_cases_out() -> None:
    cases = [a_case("AC", "b"), a_case("WA", "a"), a_case("SKIP", "a"), a_case("AC", "b")]
    assert [(one.name, one.points, one.max_points) for one in points_by_part(cases)] == [
        ("b", 4, 4),
        ("a", 0, 2),
    ]
