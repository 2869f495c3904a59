"""What every command works with: settings, language, the two output streams, the bank and the database."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from judge.catalogue import Catalogue, UnknownProblem, find_alone
from judge.cli.terminal import Terminal
from judge.config import Config
from judge.lines import UserError, line
from judge.problem import Problem

if TYPE_CHECKING:
    from judge.db import Database


@dataclass
class Context:
    """One run of the command line."""

    config: Config
    lang: str
    args: Namespace
    out: Terminal = field(default_factory=Terminal)
    err: Terminal = field(default_factory=lambda: Terminal(sys.stderr))

    def text(self, key: str, /, **values: object) -> str:
        """A line of the command line's own in the reader's language."""
        return line(f"cli.{key}", self.lang, **values)

    def say(self, key: str, /, **values: object) -> None:
        """Print a line of ours to standard output."""
        self.out.print(self.text(key, **values))

    def note(self, key: str, /, **values: object) -> None:
        """Print a line of ours to standard error: what is waited for, what was done beside the result."""
        self.err.print(self.err.style(self.text(key, **values), "dim"))

    @cached_property
    def catalogue(self) -> Catalogue:
        """The bank."""
        return Catalogue(self.config.problem_roots)

    def find(self, name: str) -> Problem:
        """The problem that ``name`` means; UserError with the near ones when there is none."""
        if (alone := find_alone(self.config.problem_roots, name)) is not None:
            return alone
        try:
            return self.catalogue.find(name)
        except UnknownProblem as unknown:
            near = ", ".join(problem.label_in(self.lang) for problem in unknown.near[:5])
            key = "several-problems" if unknown.several else "near-problem" if near else "unknown-problem"
            raise UserError(key, name=unknown.name, near=near) from unknown

    @cached_property
    def database(self) -> Database:
        """The database, brought up to this program; DatabaseError when it cannot be used."""
        from judge.db import Database

        database = Database(self.config.database_url)
        database.upgrade()
        return database

    def close(self) -> None:
        """Give the database back, where it was opened."""
        if "database" in self.__dict__:
            self.database.close()

    @cached_property
    def user_id(self) -> int:
        """Whose work is done at the command line."""
        from judge.users import local_user

        return local_user(self.database, self.config.accounts)

    def workspace_file(self, problem: Problem) -> Path:
        """Where a learner's own file of a problem is."""
        return self.config.workspace / f"{problem.number}-{problem.slug}.py"


def shown_path(path: Path) -> str:
    """``path`` as one would type it here: relative where it lies below the current folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
