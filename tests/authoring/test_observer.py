"""What an observing solution tells, as the gate reads it."""

from __future__ import annotations

from judge.authoring.jobs import OBSERVED, observations


def test_what_a_cut_output_told_whole_is_counted() -> None:
    told = f"{OBSERVED} abc 12\nprinted by a solution\n{OBSERVED} def 7\n{OBSERVED} ghi"
    assert observations([{"detail": {"stdout": told}}, {"detail": {}}]) == [("abc", 12), ("def", 7)]
