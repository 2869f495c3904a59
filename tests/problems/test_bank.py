"""Every problem of the bank, also those that come later: what can be told of all alike. `judge check` proves the rest."""

from __future__ import annotations

import re

import pytest

from judge.authoring.jobs import right_answers
from judge.authoring.mutate import excuses
from judge.authoring.texts import check_files, check_texts
from judge.catalogue import Catalogue
from judge.grading.grade import Grader, grade
from judge.problem import Problem
from tests.problems.conftest import BANK

BOOKS_NUMBERS = range(185, 204)
PROBLEMS = Catalogue([BANK]).all()
each = pytest.mark.parametrize("problem", PROBLEMS, ids=[f"{one.number}-{one.slug}" for one in PROBLEMS])


def test_no_folder_is_broken() -> None:
    catalogue = Catalogue([BANK])
    catalogue.all()
    assert catalogue.broken == []
    assert len(PROBLEMS) == len(list(BANK.glob("*/*/problem.toml")))


@each
def test_a_folder_is_called_by_number_and_slug(problem: Problem) -> None:
    assert problem.folder.name == f"{problem.number}-{problem.slug}"
    assert problem.folder.parent.name == problem.book
    assert problem.number in BOOKS_NUMBERS or (problem.number >= 501 and problem.slug.startswith("mx-"))


@each
def test_both_languages_say_the_same(problem: Problem) -> None:
    for check in (check_texts(problem), check_files(problem)):
        assert check.failures == []


@each
def test_editorials_name_other_solutions_that_are_there(problem: Problem) -> None:
    there = {f"solutions/{name}.py" for name in problem.other_solutions}
    for lang in ("zh", "en"):
        assert set(re.findall(r"solutions/[\w/]+\.py", problem.editorial(lang))) <= there


@each
def test_every_driver_that_a_case_calls_is_told_in_words(problem: Problem) -> None:
    tests = [text.decode() for path, text in problem.files.items() if path.startswith("tests/")]
    called = {name for text in tests for name in re.findall(r"submission\.harness\.(\w+)", text)}
    for lang in ("zh", "en"):
        assert set(problem.messages(lang).drivers) == called


@each
def test_explanations_of_survivors_can_be_read(problem: Problem) -> None:
    assert all(excuses(problem).values())


@each
def test_right_solutions_are_accepted_and_the_starter_is_not(problem: Problem, grader: Grader) -> None:
    for path, source in right_answers(problem).items():
        graded = grade(problem, source, grader=grader, seed="fixed")
        assert (graded.verdict, graded.score, graded.faults) == ("AC", 100.0, []), path
    starter = grade(problem, problem.files["starter.py"], grader=grader, seed="fixed")
    assert (starter.score, starter.load) == (0.0, None)
