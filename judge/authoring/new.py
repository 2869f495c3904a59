"""`judge new SLUG`: a folder with a small problem that works, to be changed into one's own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from judge.catalogue import Catalogue
from judge.lines import UserError
from judge.problem import Problem, load_problem
from judge.problem_fields import SLUG

SKELETON = Path(__file__).with_name("skeleton")
FIRST_NUMBER = 501  # below are the book's own numbers
_WORD = re.compile(r"[a-z0-9]+")


def make_problem(catalogue: Catalogue, book: str, slug: str) -> Problem:
    """Copies the skeleton to ``<last root>/<book>/<number>-<slug>``, under a number that nobody has.

    Raises:
        UserError: the slug or book cannot be one, the slug is taken, or the folder cannot be written.
    """
    if not SLUG.fullmatch(slug) or not _WORD.fullmatch(book):
        raise UserError("new-name", name=book if SLUG.fullmatch(slug) else slug)
    problems = catalogue.all()
    if taken := next((problem for problem in problems if problem.slug == slug), None):
        raise UserError("new-taken", slug=slug, path=taken.folder)
    number = max([FIRST_NUMBER - 1, *_numbers(catalogue)]) + 1
    folder = catalogue.roots[-1] / book / f"{number}-{slug}"
    try:
        shutil.copytree(SKELETON, folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        _fill_in(folder / "problem.toml", number=str(number), slug=f'"{slug}"', book=f'"{book}"')
    except OSError as error:
        raise UserError("new-folder", path=folder, why=error.strerror or error) from error
    return load_problem(folder)


def _numbers(catalogue: Catalogue) -> list[int]:
    """Numbers in use, those of folders that cannot be loaded included."""
    names = [path.name.partition("-")[0] for root in catalogue.roots for path in root.glob("*/[0-9]*-*")]
    return [problem.number for problem in catalogue.all()] + [int(name) for name in names if name.isdigit()]


def _fill_in(path: Path, **values: str) -> None:
    """Gives the keys of a TOML file other values; comments behind them stay."""
    text = path.read_text(encoding="utf-8")
    for key, value in values.items():
        text = re.sub(rf"(?m)^({key} = )(\"[^\"]*\"|\d+)", rf"\g<1>{value}", text)
    path.write_text(text, encoding="utf-8")
