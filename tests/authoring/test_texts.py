"""What the gate says about texts, without judging anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from judge.authoring import observer, words
from judge.authoring.outcome import Check
from judge.authoring.texts import check_files, check_texts, expected_key, outline
from judge.problem import Problem
from tests.authoring.conftest import GOOD

Make = Callable[..., Problem]


def keys(check: Check) -> list[str]:
    """The keys of a check's failures."""
    return [one.key for one in check.failures]


def test_pages_alike_in_both_languages_pass(problem_with: Make) -> None:
    check = check_texts(problem_with())
    assert check.passed and check.figures["languages"] == "zh = en"


@pytest.mark.parametrize(
    ("page", "text", "what"),
    [
        ("statement", "### Task\n\n`scale` it.\n", "headings"),
        ("hints", "## One step\n\nMultiply.\n\n## Another\n\nDone.\n", "headings"),
        ("editorial", "It is a product.\n\n```\nx\n```\n", "code"),
        ("editorial", "It is a product.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "tables"),
        ("editorial", "It is:\n\n- a product\n", "items"),
    ],
)
def test_a_page_of_another_structure_is_named(problem_with: Make, page: str, text: str, what: str) -> None:
    [failure] = check_texts(problem_with({f"{page}.en.md": text})).failures
    assert (failure.key, failure.values["page"], failure.values["what"]) == ("outline", page, what)


def test_headings_within_code_are_none() -> None:
    assert outline("# a\n\n```\n# b\n```\n")["headings"] == ["#"]


def test_a_missing_page_is_named(problem_with: Make) -> None:
    [failure] = check_texts(problem_with({"hints.en.md": None})).failures
    assert (failure.key, failure.values) == ("no-page", {"path": "hints.en.md"})


def test_advice_in_one_language_alone_is_named(problem_with: Make) -> None:
    failures = check_texts(problem_with(edits={"messages.zh.toml": ("loops =", "runs =")})).failures
    assert {(one.values["path"], one.values["key"]) for one in failures} == {
        ("messages.zh.toml", "loops"),
        ("messages.en.toml", "runs"),
    }


def test_a_statement_names_every_entry_point_and_is_translated(problem_with: Make) -> None:
    same = (GOOD / "statement.zh.md").read_text(encoding="utf-8").replace("scale", "skale")
    found = check_texts(problem_with({"statement.zh.md": same, "statement.en.md": same})).failures
    assert [one.key for one in found].count("same-text") == 1
    assert {one.values["path"] for one in found if one.key == "entry-not-said"} == {
        "statement.zh.md",
        "statement.en.md",
    }


def test_a_remark_of_the_skeleton_must_go(problem_with: Make) -> None:
    skeleton = (Path(words.__file__).parent / "skeleton/statement.en.md").read_text(encoding="utf-8")
    remark = next(line for line in skeleton.splitlines() if line.startswith("("))
    text = (GOOD / "statement.en.md").read_text(encoding="utf-8")
    [failure] = check_texts(problem_with({"statement.en.md": f"{text}\n{remark}\n"})).failures
    assert (failure.key, failure.values["text"]) == ("remark-left", remark)


@pytest.mark.parametrize(
    "named", ['dtype="no-such"', 'known={"no-such": x}', 'mistake="no-such"'], ids=lambda text: text[:5]
)
def test_whatever_a_case_names_needs_advice(problem_with: Make, named: str) -> None:
    edit = {"tests/test_hidden.py": ('x * 2 + 1, field="out", mistake="values"', f"x * 2 + 1, {named}")}
    [failure] = check_files(problem_with(edits=edit)).failures
    assert (failure.key, failure.values["key"]) == ("no-advice", "no-such")


def test_wrong_solutions_must_say_what_they_expect(problem_with: Make) -> None:
    assert keys(check_files(problem_with({"mutants/loops.py": "def scale(x, factor):\n    return 1\n"}))) == [
        "no-expects"
    ]


def test_a_copy_of_a_wrong_solution_is_none(problem_with: Make) -> None:
    copied = (GOOD / "mutants/loops.py").read_text(encoding="utf-8")
    [failure] = check_files(problem_with({"mutants/loops_again.py": copied})).failures
    assert (failure.key, failure.values["other"]) == ("same-wrong", "mutants/loops.py")


def test_a_folder_is_called_by_its_number(problem_with: Make) -> None:
    [failure] = check_files(problem_with(edits={"problem.toml": ("number = 910", "number = 911")})).failures
    assert (failure.key, failure.values["folder"], failure.values["number"]) == (
        "folder-number",
        "910-scale",
        911,
    )


def test_a_draft_in_one_language_is_not_said_to_be_in_both(problem_with: Make) -> None:
    files: dict[str, str | None] = {f"{page}.en.md": None for page in ("statement", "hints", "editorial")}
    draft = problem_with(files, {"problem.toml": ('status = "ready"', 'status = "draft"')})
    assert check_texts(draft).figures["languages"] == "zh"


def test_an_expected_mistake_needs_advice(problem_with: Make) -> None:
    assert keys(check_files(problem_with(edits={"mutants/loops.py": ("loops", "no-such")}))) == ["no-advice"]


@pytest.mark.parametrize(
    "line", [b"", b"expects: a", b"# expects:", b"# expects: two words", b"\n# expects: a"]
)
def test_only_a_proper_first_line_names_a_mistake(line: bytes) -> None:
    assert expected_key(line) == ""
    assert expected_key(b"# expects: mask-none\nx = 1\n") == "mask-none"


def test_both_languages_have_the_same_lines_with_the_same_places() -> None:
    zh, en = (words.lines(lang) for lang in ("zh", "en"))
    assert zh.keys() == en.keys()
    for key in zh:
        assert sorted(re.findall(r"\{\w+\}", zh[key])) == sorted(re.findall(r"\{\w+\}", en[key])), key


def test_every_failure_that_the_gate_can_make_has_words() -> None:
    folder = Path(words.__file__).parent
    used = {
        key for path in folder.glob("*.py") for key in re.findall(r'\.fail\(\s*"([a-z-]+)"', path.read_text())
    }
    assert len(used) > 10
    assert {f"fail.{key}" for key in used} <= words.lines("en").keys()


def test_a_long_list_of_failures_is_cut() -> None:
    check = Check("stubs", {"files": 1})
    for number in range(40):
        check.fail("no-page", path=f"{number}.md")
    told = words.describe(check, "en")
    assert len(told) == 2 + words.FAILURES_SHOWN
    assert "28" in told[-1]


def test_a_fingerprint_depends_on_content_and_form_alone() -> None:
    import torch

    table = torch.arange(12).view(3, 4)
    same = observer.fingerprint([table.T.contiguous().T, {"a": 1}])
    assert observer.fingerprint([table, {"a": 1}]) == same
    others = [
        [table.int(), {"a": 1}],
        [table + 1, {"a": 1}],
        [table, {"a": 1.0}],
        [table.view(4, 3), {"a": 1}],
    ]
    assert same not in {observer.fingerprint(other) for other in others}


def test_a_shared_storage_counts_once() -> None:
    import torch

    base = torch.zeros(100, dtype=torch.int32)
    assert observer.nbytes([base, (base[:10], {"a": base.view(10, 10)}), 3], set()) == 400
    assert observer.nbytes(torch.zeros(100, device="meta"), set()) == 0


class Counter:
    """Something with a state, to be observed."""

    def __init__(self, start: int) -> None:
        self.total = start

    def add(self, more: int) -> int:
        """Adds, through another operation."""
        return self.twice(more) - more

    def twice(self, more: int) -> int:
        """Adds two times."""
        self.total += more
        return self.total + more


def told(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The digests that were printed."""
    return [line.split()[1] for line in capsys.readouterr().out.splitlines()]


def test_an_objects_operations_are_known_by_all_that_came_before(capsys: pytest.CaptureFixture[str]) -> None:
    made = observer.observed_class("Counter", Counter, None)
    one = made(5)
    assert (one.add(2), one.add(2)) == (7, 9)
    digests = told(capsys)
    assert len(digests) == len(set(digests)) == 3  # made, added, added: what it calls of itself is not told
    known = observer.observed_class("Counter", Counter, digests)
    same, other = known(5), known(6)
    assert [same.add(2), same.add(2), same.add(2)] == [7, 9, None]
    assert other.add(2) is None
    assert told(capsys) == []
