"""From a learner's odd value to the page: whatever is in a report can be stored, read again, put into words and shown."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.grading.author import Wrong, check
from judge.grading.disclose import LEVELS, disclose
from judge.grading.outcome import load_record, outcome_of
from judge.grading.report import FORMAT
from judge.problem import Problem
from judge.reports import dump_report
from judge.words import localise
from sandbox.contract import (
    BadValue,
    CellDied,
    Exit,
    Frame,
    LearnerError,
    LearnerFault,
    LoadFailed,
    Timeout,
    Usage,
)

FUZZ = settings(deadline=None, database=None, max_examples=80, suppress_health_check=list(HealthCheck))
texts = st.text(st.characters(exclude_categories=()), max_size=40)
plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(10**60, 10**990),
    st.floats(),
    st.complex_numbers(),
    texts,
    st.binary(max_size=20),
)
tensors = st.builds(
    lambda numbers, dtype: torch.tensor(numbers).to(dtype),
    st.lists(st.floats(-9, 9), max_size=90),
    st.sampled_from([torch.float32, torch.bfloat16, torch.int8, torch.bool, torch.complex64]),
)
values = st.recursive(
    st.one_of(plain, tensors),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(texts, st.integers()), inner, max_size=4),
    ),
    max_leaves=15,
)
faults = st.builds(
    LearnerFault,
    builtin=st.sampled_from(["ValueError", "MemoryError", "Exception", "NotImplementedError"]),
    name=texts,
    message=texts,
    frames=st.lists(st.builds(Frame, line=st.integers(1, 1 << 19), function=texts), max_size=12).map(tuple),
)


def raised(fault: LearnerFault) -> LearnerError:
    """The exception that a case meets."""
    error = LearnerError(fault.name, fault.message)
    error.fault = fault
    return error


def compared(got: Any, want: Any, field: str) -> BaseException | None:
    """What a check of ``got`` raises."""
    try:
        check.equal(got, want, field=field, mistake="add-values")
        check.tensor(got, like=torch.ones(3), field=field, mistake="add-values")
    except (Wrong, LookupError, TypeError) as error:  # TypeError: an author compared tensors as plain values
        return error
    return None


ended = st.builds(
    Exit,
    reason=st.sampled_from(["exited", "killed", "signal", "memory", "cpu", "threads"]),
    status=st.integers(0, 255),
    signal=st.integers(0, 64),
    usage=st.just(Usage(0.1, 1.0)),
)
errors = st.one_of(
    faults.map(raised),
    st.builds(BadValue, st.sampled_from(["numpy", "type", "odd"]), texts),
    st.builds(CellDied, ended, st.sampled_from(["died", "memory", "output", "protocol", "threads"])),
    st.builds(Timeout, st.floats(0, 9), st.floats(0, 9), st.booleans()),
    st.builds(compared, values, values, st.just("out")),
    st.builds(ZeroDivisionError, texts),
)


def report_of(
    error: BaseException | None, group: str, stdout: str, load: LoadFailed | None
) -> dict[str, Any]:
    """A report as a judgement makes it, of one case that ended with ``error``."""
    outcome = outcome_of(error, called=True)
    case = {
        "name": "add-small",
        "title": "",
        "group": group,
        "part": "add",
        "verdict": str(outcome.verdict),
        "points": 0,
    }
    case |= {"max_points": 1, "mistake": outcome.mistake, "ran": True, "facts": outcome.facts, "time_s": 0.1}
    case |= {"memory_mib": 1.0, "detail": {**outcome.detail, "stdout": stdout}}
    whole = {
        "format": FORMAT,
        "verdict": str(outcome.verdict),
        "score": 0.0,
        "seed": "s",
        "phases": {"load_s": 0.1},
    }
    return {**whole, "limits": LIMITS, "load": load and load_record(load), "cases": [case]}


LIMITS = {
    "time_limit_s": 1.0,
    "load_limit_s": 1.0,
    "judgement_limit_s": 5.0,
    "memory_limit_mib": 64,
    "output_limit_kib": 8,
}
loads = st.builds(
    LoadFailed,
    st.sampled_from(["syntax", "raised", "missing", "timeout", "memory", "threads", "died", "odd"]),
    fault=st.none() | faults,
    entry=st.sampled_from(["", "add"]),
    line=st.integers(0, 1 << 19),
)


@pytest.fixture(scope="module")
def problem() -> Problem:
    """Whose words are used."""
    from judge.problem import load_problem

    return load_problem(Path(__file__).parent / "bank" / "tiny" / "901-add")


@FUZZ
@given(errors, st.sampled_from(["example", "hidden"]), texts, st.none() | loads)
def test_any_ending_is_stored_read_and_put_into_words(
    problem: Problem, error: BaseException | None, group: str, stdout: str, load: LoadFailed | None
) -> None:
    stored = dump_report(report_of(error, group, stdout, load))
    stored.encode("ascii")
    report = json.loads(stored, parse_constant=lambda _: pytest.fail("no JSON"))
    for level in LEVELS:
        for lang in ("zh", "en"):
            shown = localise(disclose(report, level), problem, lang)
            said = [
                shown["message"],
                *(case[key] for case in shown["cases"] for key in ("message", "advice", "title")),
            ]
            assert all(is_printable(text) for text in said), said
            if level != "full" and group == "hidden":
                assert shown["cases"][0]["detail"] == {}
            json.dumps(shown, allow_nan=False).encode()


def is_printable(text: str) -> bool:
    """No control, direction-changing or unpaired character but a line's end."""
    return all(c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in text)
