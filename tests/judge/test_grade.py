"""Grading for real: a cell, a warm grader and the verdict of each kind of submission."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge.grading.disclose import disclose
from judge.grading.grade import Grade, Grader, grade
from judge.grading.outcome import outcome_of
from judge.grading.seeds import rng_for
from judge.problem import Problem
from judge.verdict import Verdict
from judge.words import localise

RIGHT = "def add(a, b):\n    return a + b\n"


def judged(problem: Problem, source: str | bytes, grader: Grader, **more: Any) -> Grade:
    return grade(problem, source.encode() if isinstance(source, str) else source, grader=grader, **more)


def test_a_right_solution_earns_everything(adding: Problem, grader: Grader) -> None:
    result = judged(adding, adding.solution, grader)
    assert (result.verdict, result.score, result.faults) == (Verdict.AC, 100.0, [])
    assert [(case["name"], case["group"], case["points"]) for case in result.cases] == [
        ("add-small", "example", 1),
        ("add-random", "hidden", 2),
    ]
    assert all(case["ran"] and case["time_s"] > 0 for case in result.cases)


def test_the_report_is_plain_json_and_names_what_it_was_made_with(adding: Problem, grader: Grader) -> None:
    report = judged(adding, RIGHT, grader, seed="s").report()
    again = json.loads(json.dumps(report, allow_nan=False))
    assert again == report
    assert (report["format"], report["problem"], report["seed"]) == (1, 901, "s")
    assert report["problem_version"] == adding.version
    assert report["backend"] == grader.pool.backend and report["protections"]
    assert set(report["versions"]) == {"python", "torch", "pytest", "judge"}
    assert report["phases"]["cases_s"] > 0 and report["phases"]["compare_s"] > 0


def test_a_known_mistake_is_named_and_its_advice_found(adding: Problem, grader: Grader) -> None:
    report = judged(adding, "def add(a, b):\n    return a - b\n", grader).report()
    assert report["verdict"] == "WA" and report["score"] == 0
    assert {case["mistake"] for case in report["cases"]} == {"add-subtracts"}
    assert localise(report, adding, "en")["cases"][1]["advice"].startswith("You subtracted")


def test_an_unnamed_mistake_takes_the_checks_own_key(adding: Problem, grader: Grader) -> None:
    result = judged(adding, "def add(a, b):\n    return a * 3\n", grader)
    assert {case["mistake"] for case in result.cases} == {"add-values"}


def test_part_of_the_cases_is_part_of_the_score(counting: Problem, grader: Grader) -> None:
    sorts = counting.files["mutants/sorts.py"]
    result = judged(counting, sorts, grader)
    wrong = [case for case in result.cases if case["verdict"] != "AC"]
    assert [(case["name"], case["mistake"]) for case in wrong] == [("fill-harness", "fill-input")]
    assert (result.verdict, result.score) == (Verdict.WA, 87.5)


def test_an_expected_exception_reaches_the_case_as_itself(counting: Problem, grader: Grader) -> None:
    assert judged(counting, counting.solution, grader).verdict is Verdict.AC
    source = counting.solution.replace("ValueError", "KeyError")
    case = judged(counting, source, grader, only=["fill-raises"]).cases[0]
    assert (case["verdict"], case["facts"]["builtin"]) == ("RE", "KeyError")


HOSTILE = [
    ("x = (", "CE", "syntax"),
    (b"\xff\xfe", "CE", "encoding"),
    ("def add(a, b):\n    return '\0'\n", "CE", "nul"),
    ("", "CE", "empty"),
    ("#" * (200 << 10), "CE", "too-big"),
    ("def other(a, b): ...", "CE", "missing"),
    ("add = 3", "CE", "not-callable"),
    ("1 / 0", "RE", "raised"),
    ("raise SystemExit(0)", "RE", "raised"),
    ("import os\nos._exit(0)", "RE", "died"),
    ("while True: pass", "TLE", "timeout"),
    ("x = bytearray(10 << 30)", "MLE", "memory"),
    ("print('x' * 10_000_000)", "OLE", "output"),
]


@pytest.mark.parametrize(("source", "verdict", "kind"), HOSTILE, ids=[f"{v}-{k}" for _, v, k in HOSTILE])
def test_what_cannot_be_loaded_is_told_once_and_runs_no_case(
    adding: Problem, grader: Grader, source: str | bytes, verdict: str, kind: str
) -> None:
    report = judged(adding, source, grader).report()
    assert (report["verdict"], report["load"]["kind"]) == (verdict, kind)
    assert [(case["verdict"], case["ran"]) for case in report["cases"]] == [(verdict, False)] * 2
    assert localise(report, adding, "zh")["message"]
    assert judged(adding, RIGHT, grader).verdict is Verdict.AC


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("\ndef Addd(a, b): ...", "Line 2 defines Addd: did you mean add?"),
        ("class A:\n    def add(self, b): ...", "The add in line 2 is indented"),
        ("def subtract(a, b): ...", "Define it at the top level"),
    ],
)
def test_a_missing_entry_point_is_looked_for(adding: Problem, grader: Grader, source: str, said: str) -> None:
    report = judged(adding, source, grader).report()
    assert report["load"]["kind"] == "missing"
    assert said in localise(report, adding, "en")["message"]


BODIES = [
    ("raise ValueError('no')", "RE", "raised"),
    ("raise type('Skipped', (Exception,), {})('skip me')", "RE", "raised"),
    ("raise KeyboardInterrupt", "RE", "raised"),
    ("raise type('\\x1b[31m\\u202e', (BaseException,), {'__str__': lambda s: 1 / 0})", "RE", "raised"),
    ("import pytest\n    pytest.skip('x')", "RE", "raised"),
    ("import os; os._exit(0)", "RE", "died"),
    ("while True: pass", "TLE", "timeout"),
    ("import time; time.sleep(1000)", "TLE", "timeout"),
    ("return bytearray(10 << 30)", "MLE", "died"),
    ("print('x' * 10_000_000); return a + b", "OLE", "died"),
    ("x = []; x.append(x); return x", "RE", "bad_value"),
    ("import numpy; return numpy.zeros(3)", "RE", "bad_value"),
    ("import torch; return (a + b).to_sparse()", "RE", "bad_value"),
    ("import torch; return torch.zeros(1).expand(10**12)", "RE", "bad_value"),
    ("return (i for i in range(3))", "WA", "wrong"),
    ("return '\\ud800'", "WA", "wrong"),
    ("return 10**999", "WA", "wrong"),
    ("import torch; return torch.full_like(a, float('nan'))", "WA", "wrong"),
    ("import torch; return torch.empty_like(a, device='meta')", "WA", "wrong"),
    ("import torch; return a[..., None].expand(*a.shape, 5)", "WA", "wrong"),
    ("return (a + b).double()", "WA", "wrong"),
]


@pytest.mark.parametrize(("body", "verdict", "kind"), BODIES)
def test_whatever_a_submission_does_is_its_own_verdict_and_the_next_is_judged_as_usual(
    adding: Problem, grader: Grader, body: str, verdict: str, kind: str
) -> None:
    report = judged(adding, f"def add(a, b):\n    {body}\n", grader).report()
    case = report["cases"][0]
    assert (case["verdict"], case["facts"]["kind"]) == (verdict, kind)
    json.dumps(localise(report, adding, "en"), allow_nan=False).encode()
    text = json.dumps(report, ensure_ascii=False)
    assert "\x1b" not in text and "\u202e" not in text and "\ud800" not in text
    assert judged(adding, RIGHT, grader).verdict is Verdict.AC


def test_after_a_second_death_the_rest_is_not_run(counting: Problem, grader: Grader) -> None:
    source = "import os\ndef total(item): os._exit(1)\ndef fill(n): return [n] * n\n"
    cases = judged(counting, source, grader).cases
    assert [(case["verdict"], case["ran"]) for case in cases] == [("RE", True)] * 2 + [("RE", False)] * 3
    assert cases[2]["facts"] == {"kind": "not_run", "not_run": "RE"}


def test_the_output_limit_ends_the_judgement_and_loading_is_not_blamed(
    adding: Problem, grader: Grader
) -> None:
    source = "def add(a, b):\n    print('x' * 100_000)\n    return a + b\n"
    report = judged(adding, source, grader).report()
    assert [(case["verdict"], case["ran"]) for case in report["cases"]] == [("OLE", True), ("OLE", False)]
    assert report["load"] is None


def test_one_death_costs_one_case(counting: Problem, grader: Grader) -> None:
    source = counting.solution.replace("    if n < 0:", "    import os\n    os._exit(1)\n    if n < 0:")
    verdicts = [case["verdict"] for case in judged(counting, source, grader).cases]
    assert verdicts == ["AC", "AC", "AC", "AC", "RE"]


def test_run_takes_the_examples_and_only_takes_the_named(counting: Problem, grader: Grader) -> None:
    ran = judged(counting, counting.solution, grader, mode="run")
    assert [case["group"] for case in ran.cases] == ["example"] and ran.score == 100.0
    named = judged(counting, counting.solution, grader, only=["total-n-many"])
    assert [case["name"] for case in named.cases] == ["total-n-many"]


def test_a_selection_of_no_case_is_told_and_not_tried_again(adding: Problem, grader: Grader) -> None:
    starts: list[int] = []
    result = judged(adding, RIGHT, grader, only=["no-such-case"], on_start=starts.append)
    assert (result.verdict, result.faults, starts) == (Verdict.SE, ["no case was selected"], [0])


def test_the_side_that_only_asks_and_shows_never_imports_torch() -> None:
    modules = "judge.grading.grade, judge.grading.disclose, judge.words, judge.catalogue"
    code = f"import sys, {modules}; print('torch' in sys.modules, 'pytest' in sys.modules)"
    root = Path(__file__).resolve().parents[2]
    told = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "False"]


def test_a_seed_replays_the_same_inputs_and_no_seed_draws_new_ones(adding: Problem, grader: Grader) -> None:
    source = "def add(a, b):\n    return a\n"

    def inputs(**more: Any) -> Any:
        return judged(adding, source, grader, **more).cases[1]["detail"]["inputs"]

    assert inputs(seed="one") == inputs(seed="one")
    assert len({json.dumps(inputs()), json.dumps(inputs()), json.dumps(inputs(seed="one"))}) == 3


def test_events_come_case_by_case_in_order(counting: Problem, grader: Grader) -> None:
    told: list[Any] = []
    result = judged(
        counting,
        counting.solution,
        grader,
        on_start=told.append,
        on_case=lambda case: told.append(case["name"]),
    )
    assert told == [5, *(case["name"] for case in result.cases)]


LEAKS = [
    "print(a); raise ValueError(str(a.tolist()))",
    "raise type('E' + '_'.join(str(x) for x in a.flatten().tolist()), (Exception,), {})('x')",
    "return a",
    "return {str(x): x for x in a.flatten().tolist()}",
    "return type('T' + str(a.flatten()[0].item()), (), {})()",
    "return [a.tolist(), b.tolist()]",
    "import torch; return torch.stack([a, a])",
]


@pytest.mark.parametrize("body", LEAKS)
def test_under_diagnosis_no_value_of_a_hidden_input_is_shown(
    adding: Problem, grader: Grader, body: str
) -> None:
    report = judged(adding, f"def add(a, b):\n    {body}\n", grader, seed="s").report()
    rng = rng_for("s", "add-random")
    values = [
        f"{abs(x):.4f}"[:-1] for t in (rng.tensor(3, 5), rng.tensor(3, 5)) for x in t.flatten().tolist()
    ]
    hidden = report["cases"][1]
    assert hidden["verdict"] != "AC"
    assert any(value in json.dumps(hidden) for value in values)
    shown = localise(disclose(report, "diagnosis"), adding, "en")["cases"][1]
    assert not any(value in json.dumps(shown) for value in values)


def test_judgements_run_side_by_side_without_mixing(
    adding: Problem, counting: Problem, grader: Grader
) -> None:
    results: dict[int, Grade] = {}

    def work(number: int) -> None:
        problem = adding if number % 2 else counting
        results[number] = judged(problem, problem.solution, grader)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(results[n].problem.number, results[n].verdict) for n in range(6)] == [
        (902, "AC"),
        (901, "AC"),
    ] * 3


Make = Callable[[str], Problem]


@pytest.mark.parametrize(("raised", "mistake"), [("ValueError", "add-values"), ("NotImplementedError", None)])
def test_what_is_not_written_yet_is_no_mistake(
    raised: str, mistake: str | None, with_hidden: Make, grader: Grader
) -> None:
    means = '@case(part="add", points=1, means={"RE": "add-values"})\ndef test_x(submission):\n    submission.add(1, 2)\n'
    result = judged(with_hidden(means), f"def add(a, b):\n    raise {raised}\n", grader)
    assert (result.cases[1]["verdict"], result.cases[1]["mistake"]) == ("RE", mistake)


def test_a_case_that_skips_is_not_counted(with_hidden: Make, grader: Grader) -> None:
    problem = with_hidden('@case(part="add", points=2)\ndef test_x(submission):\n    pytest.skip("no gpu")\n')
    result = judged(problem, RIGHT, grader)
    assert [case["verdict"] for case in result.cases] == ["AC", "SKIP"]
    assert (result.verdict, result.score) == (Verdict.AC, 100.0)


def test_a_result_the_case_cannot_use_is_wa_and_logged_as_the_problems_fault(
    with_hidden: Make, grader: Grader
) -> None:
    one = torch_case("submission.add(torch.ones(1), torch.ones(1))['key']")
    result = judged(with_hidden(one), RIGHT, grader)
    case = result.cases[1]
    assert (case["verdict"], case["facts"]["kind"]) == ("WA", "unusable")
    assert result.faults and "case x" in result.faults[0]


def test_a_learners_text_reaches_no_terminal_by_the_log() -> None:
    outcome = outcome_of(ValueError("\x1b]0;owned\x07\x1b[2J"), called=True)
    assert "owned" in outcome.fault and "\x1b" not in outcome.fault


def test_a_case_that_fails_by_itself_is_ours_and_earns_nothing(with_hidden: Make, grader: Grader) -> None:
    result = judged(with_hidden(torch_case("1 / 0")), RIGHT, grader)
    assert (result.verdict, result.score) == (Verdict.SE, 0.0)
    assert "ZeroDivisionError" in result.faults[0]


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ("import nothing_of_that_name\n", "nothing_of_that_name"),
        ("def test_x(submission): ...\n", "is not marked with @case"),
        ('@case(part="no", points=1)\ndef test_x(submission): ...\n', "no part no"),
        (
            '@case(part="add", points=1)\ndef test_add_small(submission): ...\n',
            "two cases are called add-small",
        ),
    ],
)
def test_broken_cases_are_our_fault_and_the_file_is_named(
    with_hidden: Make, grader: Grader, cases: str, said: str
) -> None:
    result = judged(with_hidden(cases), RIGHT, grader)
    assert result.verdict is Verdict.SE
    assert said in result.faults[0]


def test_a_problem_changed_on_disk_is_judged_as_it_is_now(with_hidden: Make, grader: Grader) -> None:
    problem = with_hidden(torch_case("check.that(True, mistake='add-values')"))
    assert judged(problem, RIGHT, grader).verdict is Verdict.AC
    changed = with_hidden(torch_case("check.that(False, mistake='add-values')"))
    result = judged(problem, RIGHT, grader)
    assert result.verdict is Verdict.WA
    assert result.problem.version == changed.version != problem.version


def test_what_a_case_prints_reaches_nobody(with_hidden: Make, grader: Grader, capfd: Any) -> None:
    problem = with_hidden(torch_case("print('of the case'); submission.add(1, 2)"))
    report = judged(problem, "def add(a, b):\n    print('of the submission')\n", grader).report()
    assert "of the case" not in json.dumps(report) + "".join(capfd.readouterr())
    assert report["cases"][1]["detail"] == {} or "of the submission" in json.dumps(report["cases"][1])


def torch_case(statement: str) -> str:
    return f'@case(part="add", points=2)\ndef test_x(submission):\n    {statement}\n'


SHOWN = """
import sys

known = set()


@case(part="add", points=1)
def test_a_failure(submission, rng):
    known.update(sys.modules)
    a, b = rng.tensor(3, 5), rng.tensor(3, 5)
    check.tensor(submission.add(a, b), like=a + b, field="out", mistake="add-values")


@case(part="add", points=1)
def test_what_it_imported(submission):
    check.equal(sorted(set(sys.modules) - known), [], field="imported", mistake="add-values")
"""


def test_to_show_a_failure_imports_nothing(with_hidden: Make, grader: Grader) -> None:
    # each judgement is a fork that would import it anew: torch's own unravel_index brings sympy, a second every time
    source = b"def add(a, b):\n    return a + b if a.dim() == 1 else a - b\n"  # the example's are rows
    failed, after = grade(with_hidden(SHOWN), source, grader=grader).cases[-2:]
    assert failed["verdict"] == "WA" and [one["kind"] for one in failed["pictures"]] == ["tensor"]
    assert after["verdict"] == "AC", after["detail"]
