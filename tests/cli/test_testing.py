from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest
from sqlalchemy import select

from judge.db import Database
from judge.grading.report import Grade
from judge.models import Submission
from judge.problem import Problem
from judge.verdict import Verdict
from sandbox.backend import NoBackend, Reason
from tests.cli.fakes import SECRET, FakeGrading, RunCli, make_case


@pytest.fixture(autouse=True)
def files(run: RunCli) -> None:
    for verdict in ("AC", "WA", "RE", "SE"):
        Path(f"{verdict}.py").write_text(f"{verdict}\n")


def stored(tmp_path: Path) -> list[tuple[str, str, bytes]]:
    database = Database(f"sqlite:///{tmp_path / 'data' / 'judge.sqlite3'}")
    database.upgrade()
    with database.read() as session:
        found = session.scalars(select(Submission).order_by(Submission.id)).all()
    return [(one.slug, one.mode, one.source) for one in found]


def test_the_json_object_has_the_promised_fields_in_order(run: RunCli, grading: FakeGrading) -> None:
    told = run("test", "901", "WA.py", "--json")
    assert told.status == 1
    one = json.loads(told.out)
    assert list(one) == [
        "format", "problem", "slug", "file", "verdict", "score", "problem_version", "seed", "time_s", "cases",
    ]  # fmt: skip
    assert (one["format"], one["problem"], one["slug"], one["file"]) == (1, 901, "tiny-add", "WA.py")
    assert (one["verdict"], one["score"], one["seed"], one["time_s"]) == ("WA", 0.0, "5eed", 0.0246)
    assert list(one["cases"][0]) == [
        "name", "group", "part", "verdict", "points", "max_points", "mistake", "time_s", "memory_mib", "message",
    ]  # fmt: skip
    assert one["cases"][0]["message"].startswith("You subtracted")


def test_several_files_give_one_line_each_in_their_order(run: RunCli, grading: FakeGrading) -> None:
    told = run("test", "tiny-add", "WA.py", "AC.py", "RE.py", "--json")
    assert [json.loads(line)["verdict"] for line in told.out.splitlines()] == ["WA", "AC", "RE"]
    assert grading.opened == [("auto", 2)]


@pytest.mark.parametrize(
    ("names", "status"), [(["AC"], 0), (["AC", "AC"], 0), (["AC", "WA"], 1), (["RE"], 1), (["SE", "AC"], 3)]
)
def test_the_exit_status_tells_whether_every_file_was_accepted(
    run: RunCli, grading: FakeGrading, names: list[str], status: int
) -> None:
    assert run("test", "901", *[f"{name}.py" for name in names]).status == status


def test_a_number_and_a_file_are_enough(run: RunCli, grading: FakeGrading) -> None:
    assert run("901", "AC.py").status == 0
    assert run("--lang", "zh", "901", "AC.py").out.splitlines()[-1].startswith("AC 通过")


def test_what_failed_is_read_first_its_advice_before_its_message(run: RunCli, grading: FakeGrading) -> None:
    lines = run("test", "901", "WA.py").out.splitlines()
    assert lines[0] == "#901 tiny-add Add  WA.py"
    assert lines[1].startswith("✗ WA wrong answer") or lines[1].startswith("✗ WA ")
    assert lines[2].strip().startswith("You subtracted")
    assert lines[-1].startswith("WA ") and "0/2" in lines[-1]
    assert sum("You subtracted" in line for line in lines) == 1


def test_an_examples_detail_is_shown_and_a_hidden_cases_only_when_asked(
    run: RunCli, grading: FakeGrading
) -> None:
    brief, verbose = run("test", "901", "WA.py").out, run("test", "901", "WA.py", "-v").out
    assert brief.count(f"add({SECRET}-argument)") == 1
    assert verbose.count(f"add({SECRET}-argument)") == 2
    assert "\x1b" not in brief + verbose


def many_cases(monkeypatch: pytest.MonkeyPatch, cases: list[dict[str, Any]]) -> None:
    """From now on every file comes to ``cases``."""

    def grade(problem: Problem, source: bytes, **_: object) -> Grade:
        return Grade(
            problem=problem,
            mode="submit",
            seed="5eed",
            verdict=Verdict("WA"),
            cases=cases,
            limits=problem.limits,
            backend="fake",
            protections={},
        )

    monkeypatch.setattr("judge.grading.grade.grade", grade)


def test_a_mistake_is_told_once_and_its_other_cases_are_counted_and_named(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = [make_case(f"add-{number}", "hidden", "WA") for number in range(24)]
    other = make_case("add-other", "hidden", "WA", mistake="add-values")
    raised = {"kind": "raised", "builtin": "ValueError", "lines": [3]}
    raising = [make_case(f"raise-{number}", "hidden", "RE", facts=raised) for number in range(2)]
    elsewhere = make_case("raise-elsewhere", "hidden", "RE", facts={**raised, "lines": [9]})
    cases = [wrong[0], other, *wrong[1:], *raising, elsewhere]
    many_cases(monkeypatch, cases)
    told = run("test", "901", "WA.py").out
    names = ", ".join(f"add-{number}" for number in range(1, 24))
    assert f"    … and 23 more cases with the same mistake: {names}\n" in told
    assert "    … and 1 more case with the same mistake: raise-1\n" in told
    assert told.count("You subtracted") == 1 and "applies here too" not in told
    assert told.count("✗ WA") == 2 and told.count("✗ RE") == 2
    assert told.index("You subtracted") < told.index("and 23 more") < told.index("add-other")
    chinese = run("--lang", "zh", "test", "901", "WA.py").out
    assert "……另有 23 个用例犯了同样的错误：add-1、add-2、" in chinese
    whole = run("test", "901", "WA.py", "-v").out
    assert whole.count("✗ WA") == 25 and whole.count("✗ RE") == 3 and "same mistake" not in whole
    assert len(json.loads(run("test", "901", "WA.py", "--json").out)["cases"]) == len(cases)


def test_kinds_of_failure_are_counted_under_the_verdict(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised = make_case(
        "add-c", "hidden", "RE", facts={"kind": "raised", "builtin": "ValueError", "lines": [3]}
    )
    many_cases(monkeypatch, [make_case("add-a", "hidden", "WA"), make_case("add-b", "hidden", "WA"), raised])
    lines = run("test", "901", "WA.py").out.splitlines()
    assert "score 0 / 100" in lines[-2] and lines[-1] == "  wrong answer 2 · runtime error 1"
    chinese = run("--lang", "zh", "test", "901", "WA.py").out.splitlines()
    assert "得分 0 / 100" in chinese[-2] and chinese[-1] == "  答案错误 2 · 运行错误 1"
    assert "wrong answer 2" not in run("test", "901", "WA.py", "--json").out


def test_below_diagnosis_cases_are_told_once_by_their_verdict(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_LEVEL", "verdict")
    many_cases(monkeypatch, [make_case(f"add-{number}", "hidden", "WA") for number in range(3)])
    told = run("test", "901", "WA.py").out
    assert "… and 2 more cases with the same mistake: add-1, add-2" in told
    assert "subtracted" not in told


def test_parts_count_cases_that_were_not_run(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = [make_case(f"add-{number}", "hidden", "TLE", ran=number < 2) for number in range(5)]
    many_cases(monkeypatch, [make_case("add-small", "example", "AC"), *ended])
    told = run("test", "901", "WA.py").out
    assert "Add: 1/6 cases, 1/11 points" in told
    assert "Cases not run: 3, counted as “time limit”." in told
    assert told.splitlines()[-1] == "  time limit 2 · not run 3"


def test_a_drivers_call_is_told_by_its_parameters(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = {"call": "harness.total_of", "args": ["[1, 2]"], "kwargs": {}}
    many_cases(monkeypatch, [make_case("total-plain", "example", "WA", detail={"inputs": [call]})])
    told = run("test", "902", "WA.py").out
    assert "      values = [1, 2]\n" in told and "harness." not in told


def test_every_case_is_named_when_asked(run: RunCli, grading: FakeGrading) -> None:
    assert "add-random" not in run("test", "901", "AC.py").out
    assert "add-random" in run("test", "901", "AC.py", "--verbose").out


@pytest.mark.parametrize("form", [(), ("--json",), ("-v",)])
def test_under_diagnosis_nothing_of_a_hidden_case_is_told(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    monkeypatch.setenv("JUDGE_LEVEL", "diagnosis")
    told = run("test", "901", "RE.py", *form).out
    assert SECRET not in told
    if form == ("--json",):
        assert json.loads(told)["seed"] is None


def test_a_judged_file_is_stored_as_it_was(run: RunCli, grading: FakeGrading, tmp_path: Path) -> None:
    run("test", "901", "AC.py")
    run("test", "901", "WA.py", "--run")
    assert stored(tmp_path) == [("tiny-add", "submit", b"AC\n"), ("tiny-add", "run", b"WA\n")]
    assert [call["mode"] for call in grading.calls] == ["submit", "run"]


def test_a_replay_and_what_is_not_to_be_saved_are_not_stored(
    run: RunCli, grading: FakeGrading, tmp_path: Path
) -> None:
    assert run("test", "901", "AC.py", "--seed", "abc").status == 0
    assert run("test", "901", "AC.py", "--no-save").status == 0
    assert stored(tmp_path) == []
    assert [call["seed"] for call in grading.calls] == ["abc", None]


def test_without_a_file_the_learners_own_is_started_then_judged(
    run: RunCli, grading: FakeGrading, tmp_path: Path
) -> None:
    first = run("test", "901")
    assert (first.status, first.out, grading.calls) == (1, "", [])
    assert "workspace/901-tiny-add.py" in first.err
    (tmp_path / "workspace" / "901-tiny-add.py").write_text("AC")
    assert run("901").status == 0


def test_every_file_is_looked_for_before_any_is_judged(
    run: RunCli, grading: FakeGrading, tmp_path: Path
) -> None:
    for path in ("missing.py", str(tmp_path)):
        told = run("test", "901", "AC.py", path)
        assert (told.status, told.out, told.err.count("\n")) == (2, "", 1)
        assert path in told.err
    assert grading.opened == []


def test_a_giant_file_is_cut_just_above_the_limit(run: RunCli, grading: FakeGrading) -> None:
    Path("giant.py").write_bytes(b"AC\n" + b"#" * (1 << 20))
    run("test", "901", "giant.py", "--no-save")
    assert len(grading.calls[0]["source"]) == (128 << 10) + 1


def test_a_database_that_cannot_be_written_is_told_before_judging(
    run: RunCli, grading: FakeGrading, tmp_path: Path
) -> None:
    (tmp_path / "data").write_text("in the way")
    told = run("test", "901", "AC.py")
    assert (told.status, told.out, told.err.count("\n")) == (3, "", 1)
    assert "JUDGE_DATA" in told.err
    assert grading.opened == []


def test_no_sandbox_at_all_is_told_with_each_reason(run: RunCli, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_pool(*_: object, **__: object) -> NoReturn:
        raise NoBackend(
            {"docker": Reason("no engine", "没有引擎"), "landlock": Reason("old kernel", "内核太旧")}
        )

    monkeypatch.setattr("sandbox.pool.open_pool", open_pool)
    told = run("--lang", "zh", "test", "901", "AC.py")
    assert (told.status, told.out) == (3, "")
    assert "docker: 没有引擎; landlock: 内核太旧" in told.err.splitlines()[-1]


def test_a_watched_file_is_judged_again_whenever_it_is_saved(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    saves = iter(["AC\n# better", None, "RE\n# worse"])

    def sleep(_seconds: float) -> None:
        text = next(saves, "end")
        if text == "end":
            raise KeyboardInterrupt
        if text is not None:
            Path("WA.py").write_text(text)

    monkeypatch.setattr("judge.cli.testing.time.sleep", sleep)
    told = run("test", "901", "WA.py", "--watch", "--json")
    assert [json.loads(line)["verdict"] for line in told.out.splitlines()] == ["WA", "AC", "RE"]


def test_a_file_that_reproduces_is_written_once_and_never_over_another(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = {"function": "add", "harness": False, "args": ["1", "2"], "kwargs": {}}
    kept = {"calls": [call], "path": "", "want": "3", "tolerance": None, "contiguous": False, "shrunk": False}
    detail = {"repro": kept}
    real = grading.grade

    def with_repro(*args: Any, **how: Any) -> Grade:
        graded = real(*args, **how)
        for case in graded.cases:
            case["detail"] = detail if case["verdict"] == "WA" else {}
        return graded

    monkeypatch.setattr("judge.grading.grade.grade", with_repro)
    target = Path("WA-repro-add-small.py")
    told = run("test", "901", "WA.py", "--repro")
    assert told.status == 1 and str(target) in told.err
    text = target.read_text("utf-8")
    compile(text, str(target), "exec")
    assert "WA.py" in text and "solution.add(" in text
    assert run("test", "901", "WA.py", "--repro").status == 1
    assert [path.name for path in Path().glob("*-repro-*")] == [target.name]
    target.write_text("# mine\n")
    run("test", "901", "WA.py", "--repro")
    assert target.read_text() == "# mine\n"
    assert Path("WA-repro-add-small-2.py").read_text("utf-8") == text
    assert "no failing case" in run("test", "901", "AC.py", "--repro").err.lower()


def test_what_a_picture_says_is_told(
    run: RunCli, grading: FakeGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {"kind": "rows", "real": 2, "want": [0, 6, 9], "got": [0, 6, 7], "cut": 0}
    plain = {"kind": "rows", "real": 1, "want": [0, 5], "got": None, "cut": 0}
    real = grading.grade

    def with_pictures(*args: Any, **how: Any) -> Grade:
        graded = real(*args, **how)
        graded.cases[0]["pictures"] = [rows, plain]
        return graded

    monkeypatch.setattr("judge.grading.grade.grade", with_pictures)
    brief, whole = run("test", "901", "WA.py").out, run("test", "901", "WA.py", "-v").out
    assert "B has rows 6–8; by your numbers it has 6." in brief
    assert "A: 0–4" not in brief and "A: 0–4" in whole
