"""A small problem to be broken in many ways, and a grader for those tests that judge."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judge.grading.grade import Grader
from judge.problem import Problem, load_problem
from judge.startup import open_grader
from sandbox.pool import NoBackend
from tests.conftest import missing

GOOD = Path(__file__).parent / "bank" / "910-scale"
Change = dict[str, str | None]


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    """A grader over two zygotes of the landlock backend."""
    try:
        with open_grader("landlock", 2, spares=0) as (_, grader):
            yield grader
    except NoBackend as error:
        missing(str(error))


@pytest.fixture
def problem_with(tmp_path: Path) -> Callable[..., Problem]:
    """Makes a copy of the good problem with some files changed (text), removed (None) or edited (old, new)."""

    def make(files: Change | None = None, edits: dict[str, tuple[str, str]] | None = None) -> Problem:
        folder = Path(shutil.copytree(GOOD, tmp_path / "910-scale"))
        for path, text in (files or {}).items():
            if text is None:
                (folder / path).unlink()
            else:
                (folder / path).write_text(text, encoding="utf-8")
        for path, (old, new) in (edits or {}).items():
            before = (folder / path).read_text(encoding="utf-8")
            assert old in before
            (folder / path).write_text(before.replace(old, new), encoding="utf-8")
        return load_problem(folder)

    return make
