"""Reading a problem folder: what it holds, and one clear line for everything that may be wrong with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from judge.problem import ProblemError, load_problem, refresh

BANK = Path(__file__).parent / "bank" / "tiny"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BANK / "901-add", tmp_path / "901-add"))


def replace(folder: Path, old: str, new: str) -> None:
    path = folder / "problem.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_problem_holds_what_its_folder_says() -> None:
    problem = load_problem(BANK / "901-add")
    assert problem.label == "#901 tiny-add 相加"
    assert problem.label_in("en") == "#901 tiny-add Add"
    assert [(part.name, part.points) for part in problem.parts] == [("add", 3)]
    assert problem.part("add").title["en"] == "Add"
    assert problem.limits.memory_limit_mib == 128
    assert problem.tolerances["float32"].rtol == 1e-6
    assert problem.messages("en").cases["add-small"] == "two small tensors"
    assert "NotImplementedError" in problem.starter
    assert problem.support is None and problem.harness is None


def test_hints_come_one_for_each_heading_in_order() -> None:
    hints = load_problem(BANK / "901-add").hints("en")
    assert [hint.splitlines()[0] for hint in hints] == ["## Look at the shapes", "## Write it"]


def test_a_draft_shows_its_one_language_to_everybody() -> None:
    problem = load_problem(BANK / "902-counter")
    assert problem.statement("en") == problem.statement("zh") != ""
    assert problem.messages("en").advice["total-value"] == "总和不对。"
    assert problem.label_in("en").endswith("计数")
    assert problem.hints("en") == []


def test_the_version_follows_every_file_and_nothing_else(folder: Path) -> None:
    before = load_problem(folder)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_bytes(b"x")
    (folder / ".draft").write_text("x")
    assert load_problem(folder).version == before.version
    (folder / "mutants" / "subtracts.py").write_text("# expects: add-values\n")
    assert load_problem(folder).version != before.version


def test_refresh_reads_again_only_what_changed(folder: Path) -> None:
    problem = load_problem(folder)
    assert refresh(problem) is problem
    (folder / "starter.py").write_text("def add(a, b): ...\n")
    assert refresh(problem).starter == "def add(a, b): ...\n"
    assert problem.starter != "def add(a, b): ...\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("number = 901", "number = 0", "number must be an integer of at least 1"),
        ("number = 901", "number = true", "number must be an integer"),
        ('slug = "tiny-add"', 'slug = "Tiny add"', "slug must be lower-case words"),
        ("chapter = 1", "chapters = 1", "chapter is missing (is chapters meant to be it?)"),
        ("chapter = 1", "chapter = 1\ncolour = 2", "unknown key colour"),
        ('"easy"', '"trivial"', "one of easy, medium, hard"),
        ('["add"]', '["_add"]', "at least one public Python name"),
        ('["add"]', '["add", "add"]', "each given once"),
        ("points = 3", "points = 3\nweight = 2", "unknown key weight"),
        ("time_limit_s = 0.4", "time_limit_s = 0", "time_limit_s must be a number over 0"),
        ("time_limit_s = 0.4", "time_limit_s = 9", "judgement_limit_s must be at least time_limit_s"),
        ("atol = 1e-6, ", "", "[float32]: atol is missing"),
        ('{ zh = "相加", en = "Add" }', '{ zh = "相加" }', "en is missing"),
        ("number = 901", "number = ", "not valid TOML"),
    ],
)
def test_a_mistake_in_problem_toml_is_one_line_that_names_it(
    folder: Path, old: str, new: str, said: str
) -> None:
    replace(folder, old, new)
    with pytest.raises(ProblemError) as caught:
        load_problem(folder)
    line = str(caught.value)
    assert said in line and "problem.toml" in line and "\n" not in line


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "tests" / "test_hidden.py").unlink()
    with pytest.raises(ProblemError, match=r"tests/test_hidden\.py is missing"):
        load_problem(folder)


def test_a_ready_problem_needs_both_languages(folder: Path) -> None:
    (folder / "messages.en.toml").unlink()
    with pytest.raises(ProblemError, match=r"messages\.en\.toml is missing"):
        load_problem(folder)


def test_text_that_is_not_utf8_is_named(folder: Path) -> None:
    (folder / "statement.zh.md").write_bytes(b"\xff\xfe")
    with pytest.raises(ProblemError, match=r"statement\.zh\.md: not UTF-8"):
        load_problem(folder)


def test_an_advice_longer_than_a_screen_line_or_two_is_refused(folder: Path) -> None:
    (folder / "messages.en.toml").write_text('[cases]\n[advice]\nlong = "' + "x" * 301 + '"\n')
    with pytest.raises(ProblemError, match="at most 300 characters"):
        load_problem(folder)


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="cannot be read"):
        load_problem(tmp_path / "nowhere")
