"""Finding a problem by what people type, over several roots, with broken folders among them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from judge.catalogue import Catalogue, UnknownProblem
from judge.problem import ProblemError

BANK = Path(__file__).parent / "bank"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BANK, tmp_path / "bank"))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("name", ["901", "#901", "tiny-add", "901-tiny-add", "add", "ADD", " 相加 "])
def test_a_problem_is_found_by_number_slug_title_or_part(name: str) -> None:
    assert Catalogue([BANK]).find(name).number == 901


def test_all_come_by_number() -> None:
    assert [problem.number for problem in Catalogue([BANK]).all()] == [901, 902]


def test_a_part_of_two_slugs_names_both() -> None:
    with pytest.raises(UnknownProblem) as caught:
        Catalogue([BANK]).find("tiny")
    assert "#901 tiny-add" in str(caught.value) and "#902 tiny-counter" in str(caught.value)


def test_a_misspelt_name_is_answered_with_the_near_one() -> None:
    with pytest.raises(UnknownProblem, match="did you mean #902 tiny-counter"):
        Catalogue([BANK]).find("tiny-conter")


@pytest.mark.parametrize("name", ["90", "999", "", "\x1b[31m\n"])
def test_an_unknown_name_is_one_harmless_line(name: str) -> None:
    with pytest.raises(UnknownProblem) as caught:
        Catalogue([BANK]).find(name)
    assert "\n" not in str(caught.value) and "\x1b" not in str(caught.value)


def test_a_later_root_replaces_a_slug(root: Path, tmp_path: Path) -> None:
    own = tmp_path / "own" / "mine" / "901-add"
    shutil.copytree(root / "tiny" / "901-add", own)
    edit(own / "problem.toml", "chapter = 1", "chapter = 7")
    catalogue = Catalogue([root, tmp_path / "own"])
    assert catalogue.find("tiny-add").chapter == 7
    assert len(catalogue.all()) == 2


def test_two_folders_that_claim_one_number_are_both_named(root: Path) -> None:
    edit(root / "tiny" / "902-counter" / "problem.toml", "number = 902", "number = 901")
    with pytest.raises(ProblemError) as caught:
        Catalogue([root])
    assert "901-add" in str(caught.value) and "902-counter" in str(caught.value)


def test_a_broken_folder_hides_no_other_and_says_why_when_asked_for(root: Path) -> None:
    edit(root / "tiny" / "902-counter" / "problem.toml", "chapter = 1", "")
    catalogue = Catalogue([root])
    assert [problem.number for problem in catalogue.all()] == [901]
    assert "chapter is missing" in str(catalogue.broken[0])
    with pytest.raises(ProblemError, match="chapter is missing"):
        catalogue.find("902")


def test_a_problem_edited_on_disk_is_found_as_it_is_now(root: Path) -> None:
    catalogue = Catalogue([root])
    before = catalogue.find("901")
    edit(root / "tiny" / "901-add" / "problem.toml", "chapter = 1", "chapter = 3")
    after = catalogue.find("901")
    assert after.chapter == 3 and after.version != before.version
    assert catalogue.find("901") is after


def test_a_copied_folder_takes_nothing_away_while_a_site_runs(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    catalogue = Catalogue([root])
    copy = shutil.copytree(root / "tiny" / "901-add", root / "tiny" / "901-add-old")
    for _ in range(2):
        assert [problem.number for problem in catalogue.all()] == [901, 902]
        assert catalogue.find("901").slug == "tiny-add"
    assert [str(error) for error in catalogue.broken] == [str(catalogue.broken[0])]
    assert "claimed by two folders" in str(catalogue.broken[0])
    assert len([line for line in caplog.messages if "claimed by two folders" in line]) == 1
    shutil.rmtree(copy)
    assert catalogue.all() and not catalogue.broken


def test_a_root_that_is_not_a_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="not a folder"):
        Catalogue([tmp_path / "nowhere"])
