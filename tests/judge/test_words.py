"""Sentences in both languages: the same keys and placeholders, and something useful for every fact."""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge.grading.outcome import load_verdict
from judge.problem import Problem, load_problem
from judge.verdict import Verdict
from judge.words import LANGUAGES, in_words, load_message, localise, sentence, summary, verdict_word, words
from judge.words.drivers import argument_lines

BANK = Path(__file__).parent / "bank" / "tiny"
LOAD_KINDS = ("syntax", "encoding", "nul", "empty", "too-big", "missing", "not-callable", "raised")
LOAD_KINDS_BY_LIMIT = ("timeout", "memory", "output", "died")
BAD_KINDS = ("type", "numpy", "subclass", "key", "int", "cyclic", "too-deep", "too-big")
BAD_TENSORS = ("sparse", "quantised", "nested", "device", "dtype", "wrapped")


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(BANK / "901-add")


def record(**changes: Any) -> dict[str, Any]:
    base = {"name": "add-small", "group": "hidden", "part": "add", "verdict": "RE", "mistake": None}
    return {**base, "facts": {}, "detail": {}, **changes}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def entries(lang: str) -> Iterator[tuple[str, set[str]]]:
    for section, table in words(lang).sections().items():
        for key, text in table.items():
            yield f"{section}.{key}", placeholders(text)


def test_both_languages_have_the_same_sentences_with_the_same_placeholders() -> None:
    assert dict(entries("zh")) == dict(entries("en"))


def test_every_verdict_has_a_word_in_each_language() -> None:
    assert verdict_word("WA", "zh") == "答案错误" and verdict_word("WA", "en") == "wrong answer"
    for lang in LANGUAGES:
        assert len({verdict_word(verdict, lang) for verdict in Verdict}) == len(Verdict)


def test_an_unknown_language_is_answered_in_the_books() -> None:
    assert verdict_word("AC", "fr") == "通过"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", [*LOAD_KINDS, *LOAD_KINDS_BY_LIMIT])
def test_every_way_not_to_load_has_a_sentence_of_its_own(problem: Problem, lang: str, kind: str) -> None:
    load = {
        "kind": kind,
        "entry": "add",
        "line": 3,
        "facts": {"builtin": "ValueError", "lines": [3]},
        "detail": {},
    }
    said = load_message(load, vars(problem.limits), lang)
    assert said != load_message({**load, "kind": "something new"}, vars(problem.limits), lang)
    assert "{" not in said and load_verdict(kind) is not Verdict.SE


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_load_error_says_the_line_and_what_python_said(problem: Problem, lang: str) -> None:
    detail = {"name": "SyntaxError", "message": "'(' was never closed"}
    load = {"kind": "syntax", "entry": "", "line": 12, "facts": {}, "detail": detail}
    said = load_message(load, vars(problem.limits), lang)
    assert "12" in said and "'(' was never closed" in said


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", [*BAD_KINDS, *BAD_TENSORS])
def test_every_value_that_cannot_cross_has_a_cure(problem: Problem, lang: str, kind: str) -> None:
    facts = {"kind": "bad_value", "bad": kind}
    said = sentence(record(facts=facts), problem, lang)["message"]
    other = sentence(record(facts={"kind": "bad_value", "bad": "something new"}), problem, lang)["message"]
    assert said != other and "{" not in said


WAYS: list[tuple[str, dict[str, Any]]] = [
    ("TLE", {"kind": "timeout", "waited": False}),
    ("TLE", {"kind": "timeout", "waited": True}),
    ("MLE", {"kind": "died", "why": "memory", "signal": 0}),
    ("OLE", {"kind": "died", "why": "output", "signal": 0}),
    ("RE", {"kind": "died", "why": "died", "signal": 11}),
    ("RE", {"kind": "died", "why": "protocol", "signal": 0}),
    ("RE", {"kind": "raised", "builtin": "IndexError", "lines": [4, 9]}),
    ("RE", {"kind": "raised", "builtin": "NotImplementedError", "lines": []}),
    ("WA", {"kind": "unusable", "problem_fault": "KeyError"}),
    ("SE", {"kind": "fault", "problem_fault": "KeyError"}),
    ("TLE", {"kind": "not_run", "not_run": "TLE"}),
    ("CE", {"kind": "load", "not_run": "CE"}),
    ("SKIP", {"kind": "skip"}),
    ("WA", {"kind": "wrong", "field": "", "aspects": []}),
]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_way_to_fail_has_a_sentence_of_its_own(problem: Problem, lang: str) -> None:
    said = [
        sentence(record(verdict=verdict, facts=facts), problem, lang)["message"] for verdict, facts in WAYS
    ]
    assert len(set(said)) == len(WAYS)
    assert not any("{" in text for text in said)


def test_limits_are_named_as_they_were_applied(problem: Problem) -> None:
    case = record(verdict="TLE", facts={"kind": "timeout", "waited": False})
    assert "1.5" in sentence(case, problem, "en", {"time_limit_s": 1.5})["message"]
    case["time_s"] = 0.81
    assert sentence(case, problem, "en")["message"].startswith(
        "It used 0.81 s of CPU time; the limit is 0.4 s."
    )


def test_a_slow_machines_limit_is_explained(problem: Problem) -> None:
    case = record(verdict="TLE", facts={"kind": "timeout", "waited": False}, time_s=2.86)
    stretched = {name: value * 1.3 for name, value in vars(problem.limits).items()}
    said = sentence(case, problem, "en", stretched)["message"]
    assert (
        "the limit is 0.52 s (the problem says 0.4 s; this machine is slow and allows 1.3 times that)" in said
    )
    assert "放宽到 1.3 倍" in sentence(case, problem, "zh", stretched)["message"]
    changed = {**vars(problem.limits), "time_limit_s": 0.8}  # the problem's, when it was judged
    assert "machine" not in sentence(case, problem, "en", changed)["message"]


def test_a_timeout_of_the_wall_clock_does_not_blame_the_cpu(problem: Problem) -> None:
    case = record(verdict="TLE", facts={"kind": "timeout", "waited": False}, time_s=0.2)
    assert "more than 1.2 s" in sentence(case, problem, "en")["message"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("verdict", "facts"), [way for way in WAYS if way[1]["kind"] in ("timeout", "died")])
def test_general_advice_is_given_only_where_the_author_has_none(
    problem: Problem, lang: str, verdict: str, facts: dict[str, Any]
) -> None:
    case = record(verdict=verdict, facts=facts)
    alone = sentence(case, problem, lang)["message"]
    advised = sentence({**case, "mistake": "add-subtracts"}, problem, lang)
    assert advised["advice"] and advised["message"] and alone.startswith(advised["message"])
    assert len(alone) > len(advised["message"]) + 5


RAISED = [
    ("''", "'ValueError'", "No exception was raised; ValueError was expected."),
    ("'KeyError'", "'ValueError'", "KeyError was raised; ValueError was expected."),
    ("'fi'", "'ValueError'", "No exception was raised ('fi' was returned); ValueError was expected."),
    ("'KeyError'", "''", "KeyError was raised; no exception was expected."),
]


@pytest.mark.parametrize(("got", "want", "said"), RAISED)
def test_an_exception_that_was_compared_by_name_is_called_one(
    problem: Problem, got: str, want: str, said: str
) -> None:
    facts = {"kind": "wrong", "field": "load", "aspects": ["value"], "value": {}, "at": []}
    case = record(verdict="WA", facts=facts, detail={"got": got, "want": want, "stdout": "x"})
    told = in_words(case, problem, "en")
    assert told["message"] == f"load: {said}"
    assert told["detail"] == {"stdout": "x"}


def test_that_a_value_is_wrong_is_not_said_below_an_advice(problem: Problem) -> None:
    facts = {"kind": "wrong", "field": "out", "aspects": ["value"], "value": {}, "at": []}
    case = record(verdict="WA", facts=facts)
    assert sentence(case, problem, "en")["message"] == "out: The value is wrong."
    assert sentence({**case, "mistake": "add-subtracts"}, problem, "en")["message"] == ""


def test_a_drivers_call_is_told_by_sentence_and_parameters(problem: Problem) -> None:
    counter = load_problem(BANK / "902-counter")
    wrong = {"kind": "wrong", "field": "", "aspects": []}
    calls = [{"call": f"harness.{name}", "args": ["[1, 2]"], "kwargs": {}} for name in ("total_of", "new")]
    case = record(verdict="WA", facts=wrong, detail={"inputs": calls})
    known, unknown = in_words(case, counter, "zh")["detail"]["inputs"]
    assert known["driver"].startswith("在一个新的 Item 上调用")
    assert unknown["driver"] == "题目的驱动程序 new 用下面的参数调用你的代码。"
    assert argument_lines(known) == ["values = [1, 2]"] and argument_lines(unknown) == ["args[0] = [1, 2]"]
    plain = {"call": "total", "args": ["3"], "kwargs": {}}
    case["detail"]["inputs"] = [plain]
    assert in_words(case, counter, "en")["detail"]["inputs"] == [plain]


def test_title_and_advice_are_the_authors_and_an_unknown_key_has_none(problem: Problem) -> None:
    case = record(
        verdict="WA", mistake="add-subtracts", facts={"kind": "wrong", "field": "out", "aspects": []}
    )
    assert sentence(case, problem, "en")["title"] == "two small tensors"
    assert sentence(case, problem, "zh")["advice"].startswith("你做了减法")
    assert sentence({**case, "mistake": "no-such-key"}, problem, "zh")["advice"] == ""


def test_a_mismatch_names_the_field_every_aspect_and_the_place(problem: Problem) -> None:
    values = {"bad_count": 3, "size": 8, "bad_share": 0.375, "first_bad": [0, 1], "worst": [1, 3]}
    values |= {"tolerance": {"atol": 1e-5, "rtol": 0.0}, "nan_got": 1, "nan_want": 0, "first_nan": [1, 0]}
    facts = {"kind": "wrong", "field": "out", "aspects": ["dtype", "values"], "values": values}
    facts["dtype"] = {"got": "int64", "want": "int32"}
    said = sentence(record(verdict="WA", facts=facts), problem, "en")["message"]
    for expected in ("out: ", "int64", "int32", "3 of 8", "37.5%", "[0, 1]", "[1, 3]", "1e-05", "NaN"):
        assert expected in said
    shown = {"first": {"index": [0, 1], "got": 7.0, "want": 8.0}}
    assert (
        "got 7, expected 8"
        in sentence(record(verdict="WA", facts=facts, detail=shown), problem, "en")["message"]
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_missing_return_is_called_that(problem: Problem, lang: str) -> None:
    facts = {"kind": "wrong", "field": "out", "aspects": ["type"], "type": {"got": "None", "want": "Tensor"}}
    assert "return" in sentence(record(verdict="WA", facts=facts), problem, lang)["message"]


def test_a_learners_text_is_never_taken_for_a_format(problem: Problem) -> None:
    facts = {"kind": "raised", "builtin": "ValueError", "lines": [2]}
    detail = {"name": "{0.__class__}", "message": "{title} {0}"}
    said = sentence(record(facts=facts, detail=detail), problem, "en")["message"]
    assert said == "It raised {0.__class__} in line 2: {title} {0}"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_report_gains_words_and_loses_nothing(problem: Problem, lang: str) -> None:
    report = {"verdict": "WA", "score": 62.5, "limits": vars(problem.limits), "load": None, "seed": "s"}
    cases = [record(verdict="AC"), record(verdict="WA", facts={"kind": "wrong", "field": "", "aspects": []})]
    localised = localise({**report, "cases": cases}, problem, lang)
    assert localised["seed"] == "s" and localised["verdict_word"] == verdict_word("WA", lang)
    assert all(case["message"] and case["title"] and case["verdict_word"] for case in localised["cases"])
    assert "62.5" in localised["message"]
    assert summary({**report, "verdict": "AC", "cases": cases}, lang) == words(lang).say("judgement", "AC")
