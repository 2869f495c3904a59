"""All problems of a list of roots, by number, slug or a unique part; a later root may replace a slug."""

from __future__ import annotations

import difflib
import logging
import re
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from judge.problem import Problem, ProblemError, load_problem, refresh

LOG = logging.getLogger(__name__)


class UnknownProblem(LookupError):
    """One line: no such problem, or more than one; it names what to try instead.

    ``name`` is what was asked for, fit to be shown; ``near`` the problems to try, all of which fit if ``several``.
    """

    def __init__(
        self, line: str, name: str = "", near: Sequence[Problem] = (), several: bool = False
    ) -> None:
        super().__init__(line)
        self.name = name
        self.near = tuple(near)
        self.several = several

    def __str__(self) -> str:
        return str(self.args[0])


_NUMBER = re.compile(r"(?m)^number *= *([0-9]+) *(?:#.*)?$")
_SLUG = re.compile(r"""(?m)^slug *= *["']([a-z0-9-]+)["'] *(?:#.*)?$""")


def problem_folders(root: Path) -> list[Path]:
    """Folders with a ``problem.toml``: ``<root>/<book>/<number>-<slug>``, or directly under the root."""
    found = [*root.glob("*/problem.toml"), *root.glob("*/*/problem.toml")]
    return sorted(path.parent.resolve() for path in found)


class Catalogue:
    """The problems of ``roots``, loaded once and again when their files change. Thread-safe.

    A folder that cannot be loaded hides no other problem: it is listed in `broken`, and asking for it raises
    its error. A look at every file takes as long as a whole page; who answers many may have ``look_every_s`` seconds
    between two.

    Raises:
        ProblemError: at first, a root is not a folder, or two folders claim one number or, within a root, one slug.
    """

    def __init__(self, roots: Sequence[Path], look_every_s: float = 0.0) -> None:
        self.roots = tuple(Path(root) for root in roots)
        self._look_every_s, self._look_at_s = look_every_s, 0.0
        self._all: list[Problem] = []
        self._began = False
        self._contradiction: ProblemError | None = None
        self._lock = threading.Lock()
        self._problems: dict[Path, Problem] = {}
        self._broken: dict[Path, ProblemError] = {}
        self.all()

    def all(self) -> list[Problem]:
        """Every problem by number, as it lies on disk now, or did at the last look.

        Where the roots have come to contradict each other since, what was there before: a copied folder must not take
        a running site down. `broken` says so.
        """
        with self._lock:
            if time.monotonic() >= self._look_at_s:
                self._look_at_s = time.monotonic() + self._look_every_s
                self._look()
            return list(self._all)

    def _look(self) -> None:
        try:
            self._read()
            self._all = sorted(self._chosen().values(), key=lambda problem: problem.number)
        except ProblemError as error:
            if not self._began:
                raise
            if str(error) != str(self._contradiction):
                LOG.error("the problems stay as they were: %s", error)
            self._contradiction = error
        else:
            self._began, self._contradiction = True, None

    @property
    def broken(self) -> list[ProblemError]:
        """Why some folders could not be loaded when `all` was last asked."""
        with self._lock:
            found = [self._broken[folder] for folder in sorted(self._broken)]
            return found if self._contradiction is None else [*found, self._contradiction]

    def find(self, name: str) -> Problem:
        """The problem meant by ``name``: ``189``, ``#189``, a slug, ``189-slug``, or part of one.

        Raises:
            UnknownProblem: none or several fit; the line says which come near.
            ProblemError: the one meant is broken.
        """
        problems = self.all()
        wanted = name.strip().lstrip("#").lower()
        exact = [p for p in problems if wanted in (str(p.number), p.slug, f"{p.number}-{p.slug}")]
        if exact:
            return exact[0]
        self._raise_if_broken(wanted)
        partial = [p for p in problems if wanted and not wanted.isdigit() and _holds(p, wanted)]
        if len(partial) == 1:
            return partial[0]
        raise _unknown(name, partial, problems)

    def _read(self) -> None:
        folders = [folder for root in self.roots for folder in self._folders(root)]
        problems: dict[Path, Problem] = {}
        broken: dict[Path, ProblemError] = {}
        for folder in folders:
            known = self._problems.get(folder)
            try:
                problems[folder] = refresh(known) if known else load_problem(folder)
            except ProblemError as error:
                broken[folder] = error
        self._problems, self._broken = problems, broken

    @staticmethod
    def _folders(root: Path) -> list[Path]:
        if not root.is_dir():
            raise ProblemError(f"{root}: not a folder; it is named as a root of problems (JUDGE_PROBLEMS)")
        return problem_folders(root)

    def _chosen(self) -> dict[str, Problem]:
        chosen: dict[str, Problem] = {}
        for root in self.roots:
            here = [self._problems[folder] for folder in problem_folders(root) if folder in self._problems]
            _refuse_twins(here, "slug", [problem.slug for problem in here])
            chosen.update({problem.slug: problem for problem in here})
        every = list(chosen.values())
        _refuse_twins(every, "number", [str(problem.number) for problem in every])
        return chosen

    def _raise_if_broken(self, wanted: str) -> None:
        for folder, error in self._broken.items():
            number, _, slug = folder.name.lower().partition("-")
            if wanted in (number, slug, folder.name.lower()):
                raise error


def find_alone(roots: Sequence[Path], name: str) -> Problem | None:
    """The one problem whose number or slug is ``name``, loaded without the rest of the bank, which takes a while.

    None wherever that needs a look at every problem: `Catalogue.find` then knows, or says what is wrong.
    """
    wanted = name.strip().lstrip("#").lower()
    named: list[tuple[str, str, Path]] = []
    for root in roots:
        for folder in problem_folders(root):
            try:
                text = (folder / "problem.toml").read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                return None
            number, slug = _NUMBER.search(text), _SLUG.search(text)
            if number is None or slug is None:
                return None
            named.append((number[1], slug[1], folder))
    numbers, slugs = [number for number, _, _ in named], [slug for _, slug, _ in named]
    meant = [place for place, (number, slug, _) in enumerate(named) if wanted in (number, slug)]
    if len(meant) != 1 or numbers.count(numbers[meant[0]]) != 1 or slugs.count(slugs[meant[0]]) != 1:
        return None
    problem = load_problem(named[meant[0]][2])
    return problem if wanted in (str(problem.number), problem.slug) else None


def _refuse_twins(problems: list[Problem], what: str, keys: list[str]) -> None:
    first: dict[str, Problem] = {}
    for problem, key in zip(problems, keys, strict=True):
        if key in first:
            raise ProblemError(
                f"{what} {key} is claimed by two folders: {first[key].folder} and {problem.folder}"
            )
        first[key] = problem


def _holds(problem: Problem, wanted: str) -> bool:
    return wanted in problem.slug or any(wanted in title.lower() for title in problem.title.values())


def _unknown(name: str, partial: list[Problem], problems: list[Problem]) -> UnknownProblem:
    shown = re.sub(r"[\x00-\x1f\x7f]", "?", name)[:60]
    if partial:
        line = f"{shown!r} matches several problems: {_labels(partial)}; give a number"
        return UnknownProblem(line, shown, partial, several=True)
    slugs = {problem.slug: problem for problem in problems}
    near = [slugs[slug] for slug in difflib.get_close_matches(shown.lower(), slugs, n=3, cutoff=0.4)]
    hint = f"; did you mean {_labels(near)}?" if near else "; `judge list` shows all"
    return UnknownProblem(f"no problem {shown!r}{hint}", shown, near)


def _labels(problems: list[Problem]) -> str:
    return ", ".join(problem.label for problem in problems[:5])
