"""Which mutations are made, and what is read from survivors.toml."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from judge.authoring.mutate import excuses, mutations
from judge.lines import UserError
from judge.problem import Problem

SOURCE = '''"""A module."""


def area(width: int | float, height: int | None = None) -> int | float:
    """Width by height."""
    for _ in range(3):
        break
    return width * height + 1
'''


def test_each_mutation_changes_what_runs() -> None:
    made = mutations(SOURCE)
    assert {(one.line, one.before) for one in made} <= {
        (6, "for _ in range(3):"),
        (7, "break"),
        (8, "return width * height + 1"),
    }
    assert "return width / height + 1" in {one.after for one in made}
    assert len({one.source for one in made}) == len(made)


def test_annotations_and_docstrings_are_left_alone() -> None:
    assert not [one for one in mutations(SOURCE) if one.line in (1, 4, 5)]


def test_a_sample_is_the_same_each_time_and_in_the_order_of_the_file() -> None:
    few = mutations(SOURCE, most=5)
    assert few == mutations(SOURCE, most=5)
    assert len(few) == 5
    assert [one.line for one in few] == sorted(one.line for one in few)


def test_a_missing_cosmic_ray_is_one_line_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cosmic_ray.mutating", None)
    with pytest.raises(UserError) as error:
        mutations(SOURCE)
    for lang in ("zh", "en"):
        assert "pip install cosmic-ray" in error.value.line(lang)


def test_explained_survivors_are_found_whatever_their_spaces(problem_with: Callable[..., Problem]) -> None:
    text = '[[survivor]]\nbefore = "a  =  1"\nafter = "a = 2"\nreason = "never read"\n'
    assert excuses(problem_with({"survivors.toml": text})) == {("a = 1", "a = 2"): "never read"}


@pytest.mark.parametrize("text", ["[[survivor]]\nbefore = 'a'\n", "survivor = 3\n", "[[survivor\n"])
def test_a_survivors_file_that_cannot_be_read_is_named(
    problem_with: Callable[..., Problem], text: str
) -> None:
    with pytest.raises(UserError, match="survivors"):
        excuses(problem_with({"survivors.toml": text}))
