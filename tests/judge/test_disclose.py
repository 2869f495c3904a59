"""Disclosure levels: what of a hidden case remains at each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judge.grading.disclose import LEVELS, Level, disclose, disclose_case

SECRET = "31415926"


def record(name: str, group: str) -> dict[str, Any]:
    return {
        "name": name,
        "group": group,
        "part": "add",
        "verdict": "WA",
        "points": 0,
        "max_points": 2,
        "mistake": "add-values",
        "time_s": 0.0123,
        "memory_mib": 17.5,
        "ran": True,
        "facts": {"kind": "wrong", "field": "out", "aspects": ["dtype"]},
        "detail": {
            "got": SECRET,
            "inputs": [{"call": "add", "args": [SECRET], "kwargs": {}}],
            "stdout": SECRET,
        },
    }


@pytest.fixture
def report() -> dict[str, Any]:
    return {
        "format": 1,
        "seed": "the secret seed",
        "verdict": "WA",
        "score": 0.0,
        "phases": {"queued_s": 0.0, "load_s": 0.00321},
        "load": {"kind": "raised", "detail": {"message": "before any input"}},
        "cases": [record("shown", "example"), record("kept", "hidden")],
    }


@pytest.mark.parametrize("level", ["verdict", "diagnosis"])
def test_below_full_no_value_of_a_hidden_case_and_no_seed_remains(
    report: dict[str, Any], level: Level
) -> None:
    shown = disclose(report, level)
    assert SECRET not in json.dumps(shown["cases"][1])
    assert "the secret seed" not in json.dumps(shown)
    assert shown["cases"][1]["detail"] == {}


@pytest.mark.parametrize("level", LEVELS)
def test_an_example_is_shown_whole_at_every_level(report: dict[str, Any], level: Level) -> None:
    assert disclose(report, level)["cases"][0] == record("shown", "example")


@pytest.mark.parametrize("level", LEVELS)
def test_why_a_submission_did_not_load_is_always_shown(report: dict[str, Any], level: Level) -> None:
    assert disclose(report, level)["load"] == report["load"]


def test_diagnosis_keeps_mistake_and_facts_with_coarse_measures(report: dict[str, Any]) -> None:
    case = disclose(report, "diagnosis")["cases"][1]
    assert case["mistake"] == "add-values" and case["facts"]["field"] == "out"
    assert (case["time_s"], case["memory_mib"]) == (0.02, 32.0)


def test_verdict_keeps_neither_mistake_nor_facts(report: dict[str, Any]) -> None:
    case = disclose(report, "verdict")["cases"][1]
    assert case["mistake"] is None and case["facts"] == {} and case["verdict"] == "WA"


def test_full_keeps_everything_and_no_level_changes_the_report(report: dict[str, Any]) -> None:
    before = json.dumps(report)
    assert disclose(report, "full") == report
    for level in LEVELS:
        disclose(report, level)
    assert json.dumps(report) == before


def test_one_case_is_disclosed_as_within_its_report(report: dict[str, Any]) -> None:
    for level in LEVELS:
        assert disclose_case(report["cases"][1], level) == disclose(report, level)["cases"][1]


def test_an_unknown_level_is_refused(report: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="verdict, diagnosis, full"):
        disclose(report, "everything")  # type: ignore[arg-type]
