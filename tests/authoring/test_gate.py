"""The gate on a small problem: it passes as it is, and each way of breaking it fails the check made for that."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge.authoring import gate
from judge.authoring.cache import Cache
from judge.authoring.gate import QUICK, Effort, examine
from judge.authoring.outcome import Check
from judge.grading.grade import Grader, grade
from judge.problem import Problem, load_problem
from tests.authoring.conftest import GOOD

Make = Callable[..., Problem]
DRAFT = (GOOD / "problem.toml").read_text(encoding="utf-8").replace('"ready"', '"draft"')


LITTLE = Effort(right_seeds=1, wrong_seeds=1, mutations=5)


class Enough(Exception):
    """The check that a test asks for was made."""


def checked(problem: Problem, grader: Grader, effort: Effort = LITTLE) -> dict[str, Any]:
    """The gate's report without its printing."""
    return examine(problem, grader, effort, lambda check: None)


def found_by(name: str, problem: Problem, grader: Grader, effort: Effort = LITTLE) -> list[dict[str, Any]]:
    """What one check found to mend; those after it are not made."""
    made: list[Check] = []

    def tell(check: Check) -> None:
        made.append(check)
        if check.name == name:
            raise Enough

    with pytest.raises(Enough):
        examine(problem, grader, effort, tell)
    found: list[dict[str, Any]] = made[-1].as_json()["failures"]
    return found


def failures(report: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """What one check found to mend."""
    return next(check["failures"] for check in report["checks"] if check["check"] == name)


def test_a_good_problem_passes_every_check(problem_with: Make, grader: Grader) -> None:
    report = checked(problem_with(), grader)
    assert report["passed"], [check for check in report["checks"] if not check["passed"]]
    assert [check["check"] for check in report["checks"]] == [
        *("texts", "files", "solutions", "points", "stubs", "known-inputs", "repeatable"),
        *("wrong", "limits", "mutations", "advice"),
    ]


def test_a_solution_that_is_wrong_for_some_input_stops_the_gate(problem_with: Make, grader: Grader) -> None:
    report = checked(
        problem_with({"solutions/bad.py": "def scale(x, factor):\n    return x * 3 + 1\n"}), grader, QUICK
    )
    assert {one["file"] for one in failures(report, "solutions")} == {"solutions/bad.py"}
    assert report["checks"][-1]["check"] == "solutions"


def test_a_wrong_solution_that_is_accepted_fails(problem_with: Make, grader: Grader) -> None:
    source = "# expects: values\ndef scale(x, factor):\n    return x * factor + 1\n"
    [failure] = found_by("wrong", problem_with({"mutants/right.py": source}), grader)
    assert (failure["key"], failure["file"]) == ("wrong-accepted", "mutants/right.py")


def test_a_wrong_solution_with_another_mistake_first_fails(problem_with: Make, grader: Grader) -> None:
    edit = {"mutants/divided.py": ("divided", "values")}
    [failure] = found_by("wrong", problem_with(edits=edit), grader)
    assert (failure["expected"], failure["found"], failure["case"]) == ("values", "divided", "scale-small")


def test_a_wrong_solution_that_a_faster_machine_would_accept_fails(
    problem_with: Make, grader: Grader
) -> None:
    source = """# expects: loops
import time


def scale(x, factor):
    begun_s = time.process_time()
    while len(x) == 50 and time.process_time() < begun_s + SECONDS:
        pass
    return x * factor + 1
"""
    limit_s = 0.5 * grader.pool.factor  # as problem.toml has it
    slow = {
        f"mutants/{name}.py": source.replace("SECONDS", str(times * limit_s))
        for name, times in (("nearly", 1.2), ("slow", 9))
    }
    [failure] = found_by("wrong", problem_with(slow), grader)
    assert (failure["key"], failure["file"], failure["case"]) == (
        "wrong-near",
        "mutants/nearly.py",
        "scale-long",
    )


def test_a_wrong_solution_that_does_not_load_fails(problem_with: Make, grader: Grader) -> None:
    broken = {"mutants/broken.py": "# expects: values\ndef scale(x, factor:\n"}
    [failure] = found_by("wrong", problem_with(broken), grader)
    assert failure["key"] == "wrong-not-loaded"


def test_a_case_that_a_stub_passes_is_named(problem_with: Make, grader: Grader) -> None:
    lazy = ("like=x * 2 + 1", "like=x"), ("submission.scale(x, 2.0)", "submission.scale(x, 2.0) * 0 + x")
    problem = problem_with(edits={"tests/test_hidden.py": lazy[0]})
    text = (problem.folder / "tests/test_hidden.py").read_text().replace(*lazy[1])
    (problem.folder / "tests/test_hidden.py").write_text(text)
    found = found_by("stubs", problem, grader)
    assert {"first argument", "last argument"} & {one["file"] for one in found}
    assert {one["cases"] for one in found} == {"scale-long"}


def test_a_hidden_case_with_the_examples_input_is_named(problem_with: Make, grader: Grader) -> None:
    edit = {
        "tests/test_hidden.py": (
            "rng.tensor(3, 5), float(rng.uniform(2, 5))",
            "torch.tensor([1.0, 2.0]), 3.0",
        )
    }
    problem = problem_with(edits=edit)
    path = problem.folder / "tests/test_hidden.py"
    path.write_text("import torch\n" + path.read_text())
    assert [one["case"] for one in found_by("known-inputs", problem, grader)] == ["scale-random"]


def test_a_starter_that_does_not_load_fails(problem_with: Make, grader: Grader) -> None:
    [failure] = found_by("stubs", problem_with({"starter.py": "def skale(x, factor):\n    pass\n"}), grader)
    assert failure["key"] == "starter-not-loaded" and failure["why"].startswith("load: missing scale")


def test_a_case_that_asks_the_clock_cannot_be_repeated(problem_with: Make, grader: Grader) -> None:
    edit = {"tests/test_hidden.py": ("float(rng.uniform(2, 5))", "__import__('time').time() % 7")}
    [failure] = found_by("repeatable", problem_with(edits=edit), grader)
    assert (failure["key"], failure["case"]) == ("not-repeatable", "scale-random")


@pytest.mark.parametrize(
    ("lines", "found"), [("import torch\nscale(torch.ones(2), 3.0)\n", []), ("scale(1)\n", ["scratch"])]
)
def test_lines_to_try_must_run(problem_with: Make, grader: Grader, lines: str, found: list[str]) -> None:
    problem = problem_with({"scratch.txt": lines})
    assert [one["key"] for one in found_by("repeatable", problem, grader)] == found


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("points=3)", "points=3", "test_hidden.py:"),
        ('part="scale", points=3', 'part="sale", points=3', "test_scale_random"),
    ],
)
def test_a_slip_in_a_file_of_cases_is_told_at_once(
    problem_with: Make, grader: Grader, old: str, new: str, place: str
) -> None:
    report = checked(problem_with(edits={"tests/test_hidden.py": (old, new)}), grader)
    [failure] = failures(report, "solutions")
    assert failure["key"] == "not-judged" and place in failure["why"]
    assert report["figures"]["judgements"] == 1


def test_points_that_do_not_add_up_fail(problem_with: Make, grader: Grader) -> None:
    [failure] = found_by("points", problem_with(edits={"problem.toml": ("points = 6", "points = 7")}), grader)
    assert (failure["said"], failure["found"]) == (7, 6)


def test_a_case_without_a_title_fails(problem_with: Make, grader: Grader) -> None:
    edit = {"messages.en.toml": ("scale-long", "scale-gone")}
    keys = {(one["key"], one["case"]) for one in found_by("points", problem_with(edits=edit), grader)}
    assert keys == {("no-title", "scale-long"), ("no-case", "scale-gone")}


def test_a_mutation_that_nothing_notices_fails_unless_explained(problem_with: Make, grader: Grader) -> None:
    longer = "def scale(x, factor):\n    limit = 7\n    return x * factor + 1 if limit > 2 else None\n"
    found = found_by("mutations", problem_with({"solution.py": longer}), grader, QUICK)
    survivors = [one for one in found if one["key"] == "survivor"]
    assert {one["after"] for one in survivors} >= {"limit = 8", "limit = 6"}


def test_a_slow_case_and_large_inputs_are_near_the_limit(problem_with: Make, grader: Grader) -> None:
    slow = "import time\n\ndef scale(x, factor):\n    t = time.process_time()\n"
    slow += "    while time.process_time() < t + 0.2:\n        pass\n    return x * factor + 1\n"
    edits = {
        "tests/test_hidden.py": ("rng.tensor(50)", "rng.tensor(2_100_000)"),
        "problem.toml": ("time_limit_s = 0.5", "time_limit_s = 0.3"),  # a busy machine's factor stretches it
    }
    found = found_by("limits", problem_with({"solution.py": slow}, edits), grader)
    assert {one["key"] for one in found} == {"near-limit", "inputs"}


def test_a_draft_needs_neither_mutations_nor_both_languages(problem_with: Make, grader: Grader) -> None:
    gone = {f"{page}.en.md": None for page in ("statement", "hints", "editorial")} | {
        "messages.en.toml": None
    }
    report = checked(problem_with(gone, {"problem.toml": ('"ready"', '"draft"')}), grader)
    assert report["passed"], [check for check in report["checks"] if not check["passed"]]
    assert [check["check"] for check in report["checks"]][-1] == "wrong"


def test_main_prints_one_json_object_a_problem_and_says_how_it_ended(
    problem_with: Make, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    problem = problem_with({"mutants/divided.py": None, "mutants/loops.py": None})
    manner = gate.Manner(json=True, quick=True, lang="en", data=tmp_path / "data")
    assert gate.main([problem], "landlock", manner) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["format"], report["problem"], report["quick"], report["passed"]) == (1, 910, True, False)
    assert [one["key"] for one in failures(report, "files")] == ["few-wrong"]


def test_a_second_run_judges_nothing_and_an_edited_text_changes_nothing_of_that(
    problem_with: Make, grader: Grader, tmp_path: Path
) -> None:
    problem = problem_with()
    with Cache(tmp_path / "data") as cache:
        first = examine(problem, grader, LITTLE, lambda check: None, cache)
        (problem.folder / "editorial.en.md").write_text("A product and a sum.\n", encoding="utf-8")
        again = examine(load_problem(problem.folder), grader, LITTLE, lambda check: None, cache)
        (problem.folder / "mutants/divided.py").write_text(
            "# expects: divided\ndef scale(x, factor):\n    return 1 + x / factor\n", encoding="utf-8"
        )
        edited = examine(load_problem(problem.folder), grader, LITTLE, lambda check: None, cache)
    assert first["passed"] and again["passed"] and edited["passed"]
    made = [report["figures"]["judgements"] for report in (first, again, edited)]
    assert made[0] > 20 and made[1:] == [0, 1]
    assert [check["figures"] for check in again["checks"]] == [check["figures"] for check in first["checks"]]


def test_an_edited_case_makes_every_judgement_anew(
    problem_with: Make, grader: Grader, tmp_path: Path
) -> None:
    problem = problem_with({"problem.toml": DRAFT})
    with Cache(tmp_path / "data") as cache:
        first = examine(problem, grader, LITTLE, lambda check: None, cache)
        path = problem.folder / "tests/test_hidden.py"
        path.write_text(path.read_text().replace("rng.tensor(3, 5)", "rng.tensor(5, 3)"))
        edited = examine(load_problem(problem.folder), grader, LITTLE, lambda check: None, cache)
    assert edited["figures"]["remembered"] == first["figures"]["remembered"]
    assert edited["figures"]["judgements"] == first["figures"]["judgements"]


def test_the_report_says_what_each_wrong_solution_meets(problem_with: Make, grader: Grader) -> None:
    report = checked(problem_with(), grader)
    notes = {check["check"]: check["notes"] for check in report["checks"]}
    met = {note["file"]: (note["case"], note["mistake"]) for note in notes["wrong"]}
    assert met["mutants/divided.py"] == ("scale-small", "divided")
    assert met["mutants/loops.py"] == ("scale-long", "loops")
    assert {note["case"] for note in notes["limits"]} == {"scale-small", "scale-random", "scale-long"}


def test_watching_checks_again_what_was_saved_and_waits_for_what_is_broken(
    problem_with: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = problem_with({"problem.toml": DRAFT})
    toml, good = problem.folder / "problem.toml", DRAFT
    turns = iter(["number = \n", good + "# saved again\n", None])

    def pause(_: float) -> None:
        turn = next(turns)
        if turn is None:
            raise KeyboardInterrupt
        toml.write_text(turn, encoding="utf-8")

    monkeypatch.setattr(gate, "pause", pause)
    manner = gate.Manner(quick=True, lang="en", watch=True, data=tmp_path / "data")
    assert gate.main([problem], "landlock", manner) == 0
    told = capsys.readouterr()
    assert told.out.count("passed: ") == 2 and "passed: 0 judgements" in told.out
    assert told.err.count("problem.toml") == 1


def test_a_judgement_to_the_first_failure_leaves_out_what_follows(problem_with: Make, grader: Grader) -> None:
    problem = problem_with()
    how: dict[str, Any] = {"grader": grader, "seed": "fixed", "to_first_failure": True}
    wrong = grade(problem, problem.files["mutants/divided.py"], **how)
    assert [(case["name"], case["verdict"]) for case in wrong.cases] == [("scale-small", "WA")]
    right = grade(problem, problem.files["solution.py"], **how)
    assert (right.verdict, len(right.cases)) == ("AC", 3)
