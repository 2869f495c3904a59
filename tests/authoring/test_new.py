"""`judge new`: what is made, and that it passes the gate as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.authoring.gate import QUICK, examine
from judge.authoring.new import FIRST_NUMBER, SKELETON, make_problem
from judge.catalogue import Catalogue
from judge.grading.grade import Grader
from judge.lines import UserError


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """An empty bank."""
    folder = tmp_path / "bank"
    folder.mkdir()
    return folder


def test_the_first_problem_of_a_bank_is_a_draft_with_the_first_free_number(bank: Path) -> None:
    problem = make_problem(Catalogue([bank]), "minisgl", "mx-own")
    assert problem.folder == bank.resolve() / "minisgl" / f"{FIRST_NUMBER}-mx-own"
    assert (problem.number, problem.slug, problem.book) == (FIRST_NUMBER, "mx-own", "minisgl")
    assert problem.status == "draft"
    assert "# kept for good" in (problem.text("problem.toml") or "")


def test_a_number_once_given_is_not_given_again_even_where_the_folder_is_broken(bank: Path) -> None:
    catalogue = Catalogue([bank])
    first = make_problem(catalogue, "minisgl", "mx-one")
    (first.folder / "problem.toml").write_text("number = ", encoding="utf-8")
    assert make_problem(catalogue, "own", "mx-two").number == first.number + 1


@pytest.mark.parametrize(("book", "slug"), [("minisgl", "Own Problem"), ("minisgl", "../own"), ("..", "own")])
def test_a_name_that_cannot_be_part_of_an_address_is_refused(bank: Path, book: str, slug: str) -> None:
    with pytest.raises(UserError) as error:
        make_problem(Catalogue([bank]), book, slug)
    assert error.value.key == "new-name"
    assert not list(bank.iterdir())


def test_a_slug_is_given_once(bank: Path) -> None:
    catalogue = Catalogue([bank])
    make_problem(catalogue, "minisgl", "mx-own")
    with pytest.raises(UserError) as error:
        make_problem(catalogue, "minisgl", "mx-own")
    assert error.value.key == "new-taken"


def test_what_is_made_passes_the_gate_as_it_is(bank: Path, grader: Grader) -> None:
    problem = make_problem(Catalogue([bank]), "minisgl", "mx-own")
    assert {path.name for path in SKELETON.rglob("*.py")} <= {Path(path).name for path in problem.files}
    report = examine(problem, grader, QUICK, lambda check: None)
    assert report["passed"], [check for check in report["checks"] if not check["passed"]]
