"""Reports and requests from the other end of the grader's socket: read as what they are, or refused as BadFrame."""

from __future__ import annotations

import base64
import contextlib
import copy
import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from judge.grading.report import PHASES
from judge.problem import Problem, load_problem
from judge.remote.frames import BadFrame, Request, read_grade, read_hello, read_request
from judge.verdict import Verdict
from sandbox.contract import Limits

FUZZ = settings(deadline=None, database=None, max_examples=400, suppress_health_check=list(HealthCheck))
REQUEST = Request("tiny-add", "0" * 64, "submit", "seed", b"x = 1\n")
CASE = {
    "name": "add-small", "title": "", "group": "example", "part": "add", "verdict": "AC", "points": 1, "max_points": 1,
    "mistake": None, "ran": True, "time_s": 0.1, "memory_mib": 1.0, "facts": {}, "detail": {},
}  # fmt: skip
REPORT: dict[str, Any] = {
    "slug": "tiny-add", "problem_version": "0" * 64, "mode": "submit", "seed": "seed", "verdict": "AC", "load": None,
    "cases": [CASE, {**CASE, "verdict": "WA", "points": 0}], "limits": dataclasses.asdict(Limits()), "backend": "docker",
    "protections": {"network": "none"}, "versions": {"torch": "2"}, "phases": dict.fromkeys(PHASES, 0.1),
}  # fmt: skip
GOOD = {"report": REPORT, "faults": []}
HELLO = {"hello": {"protocol": 1, "judge": "0", "backend": "docker", "protections": {}, "size": 2}}
odd = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from([10**400, -(10**400), 2**63, 1e308, math.nan, math.inf]),
        st.floats(),
        st.text(max_size=5),
        st.sampled_from(["AC", "SE", "x" * 10_000]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything in a JSON value."""
    found = [path]
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(inner, (*path, key))
    return found


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of ``value`` with ``new`` at ``path``."""
    if not path:
        return new
    copied = copy.deepcopy(value)
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return copied


@pytest.fixture(scope="module")
def problem() -> Problem:
    """The one that was asked for."""
    return load_problem(Path(__file__).parent / "bank" / "tiny" / "901-add")


def test_the_report_of_these_tests_is_good(problem: Problem) -> None:
    grade = read_grade(GOOD, problem, REQUEST)
    assert (grade.verdict, grade.score) == (Verdict.WA, 50.0)


@FUZZ
@given(st.sampled_from(places(GOOD)), odd)
@example(("report", "cases", 0, "points"), 10**400)
@example(("report", "limits", "time_limit_s"), math.nan)
def test_a_changed_report_is_refused_or_can_be_scored_and_stored(
    problem: Problem, path: Any, new: Any
) -> None:
    frame = changed(GOOD, path, new)
    with contextlib.suppress(BadFrame):
        if not isinstance(frame, dict):
            return
        grade = read_grade(frame, problem, REQUEST)
        assert 0.0 <= grade.score <= 100.0
        assert isinstance(grade.verdict, Verdict)
        json.dumps([grade.score, *(case["points"] for case in grade.cases)], allow_nan=False)


@FUZZ
@given(st.sampled_from(places(HELLO)), odd)
def test_a_changed_greeting_is_refused_or_read(path: Any, new: Any) -> None:
    frame = changed(HELLO, path, new)
    if isinstance(frame, dict):
        with contextlib.suppress(BadFrame):
            assert read_hello(frame).size >= 1


@FUZZ
@given(st.sampled_from(places(REQUEST.frame())), odd)
@example(("grade", "source"), "\x80")
def test_a_changed_request_is_refused_or_read(path: Any, new: Any) -> None:
    frame = changed(REQUEST.frame(), path, new)
    if isinstance(frame, dict):
        with contextlib.suppress(BadFrame):
            assert read_request(frame).mode in ("run", "submit")


@FUZZ
@given(st.binary(max_size=60))
def test_any_source_crosses_whole(source: bytes) -> None:
    request = dataclasses.replace(REQUEST, source=source)
    assert read_request(json.loads(json.dumps(request.frame()))) == request
    assert base64.b64decode(request.frame()["grade"]["source"]) == source
