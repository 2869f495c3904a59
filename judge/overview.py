"""Where a learner stands at every problem, by chapter, and what to do next. The site and the command line both ask here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judge import openings, scores
from judge.models import Draft, Submission
from judge.problem import Problem
from judge.statuses import Status

Reason = Literal["continue", "next", "again"]


@dataclass(frozen=True)
class Row:
    """One learner's standing at one problem."""

    problem: Problem
    status: Status  # tried: something was sent or written
    best_score: float | None  # 0 to 100; None before the first submission that counts
    gave_up: bool
    touched_at: datetime | None  # the last submission, run or change of the draft


@dataclass(frozen=True)
class Chapter:
    """The rows of one chapter of the book, in order."""

    number: int
    rows: list[Row]

    @property
    def solved(self) -> int:
        """How many of its problems are solved."""
        return sum(row.status == "solved" for row in self.rows)


@dataclass(frozen=True)
class Filter:
    """What a list is cut down to; an empty field fits everything."""

    words: str = ""  # each must be in number, slug, titles or tags
    chapter: str = ""
    difficulty: str = ""
    status: str = ""
    tag: str = ""

    def fits(self, row: Row) -> bool:
        """Whether a row passes every field."""
        problem = row.problem
        text = " ".join([str(problem.number), problem.slug, *problem.title.values(), *problem.tags]).lower()
        return (
            all(word.lstrip("#") in text for word in self.words.lower().split())
            and self.chapter in ("", str(problem.chapter))
            and self.difficulty in ("", problem.difficulty)
            and self.status in ("", row.status)
            and (not self.tag or self.tag in problem.tags)
        )


def read_rows(session: Session, user_id: int, problems: Iterable[Problem]) -> list[Row]:
    """A row for each problem, in the order in which the book is read: by chapter, then by number."""
    standings = scores.standings(session, user_id)
    gave_up, touched = openings.given_up(session, user_id), _touched(session, user_id)
    rows = []
    for problem in sorted(problems, key=lambda problem: (problem.chapter, problem.number)):
        standing, touched_at = standings.get(problem.slug), touched.get(problem.slug)
        status: Status = "solved" if standing and standing.solved else "tried" if touched_at else "new"
        best = standing.best_score if standing else None
        rows.append(Row(problem, status, best, problem.slug in gave_up, touched_at))
    return rows


def by_chapter(rows: Sequence[Row]) -> list[Chapter]:
    """The rows of `read_rows` in chapters."""
    return [
        Chapter(number, list(group)) for number, group in groupby(rows, key=lambda row: row.problem.chapter)
    ]


def next_up(rows: Sequence[Row]) -> tuple[Row, Reason] | None:
    """What to do next, and why; None when everything is solved.

    ``continue``: what was worked on last and is not solved. ``next``: the first untouched one after the last that was
    solved, else the first of all. ``again``: one that was given up.
    """
    begun = [row for row in rows if row.status == "tried" and not row.gave_up]
    if begun:
        return max(begun, key=_when), "continue"
    solved = [place for place, row in enumerate(rows) if row.status == "solved"]
    last = max(solved, key=lambda place: _when(rows[place]), default=-1)
    fresh = _first([*rows[last + 1 :], *rows], lambda row: row.status == "new" and not row.gave_up)
    if fresh:
        return fresh, "next"
    again = _first(rows, lambda row: row.status != "solved")
    return (again, "again") if again else None


def beside(rows: Sequence[Row], slug: str) -> tuple[Row | None, Row | None]:
    """The rows before and after a problem, where there are any."""
    place = next((place for place, row in enumerate(rows) if row.problem.slug == slug), None)
    if place is None:
        return None, None
    return rows[place - 1] if place else None, rows[place + 1] if place + 1 < len(rows) else None


def _first(rows: Iterable[Row], fits: Callable[[Row], bool]) -> Row | None:
    return next((row for row in rows if fits(row)), None)


def _when(row: Row) -> float:
    return row.touched_at.timestamp() if row.touched_at else 0.0


def _touched(session: Session, user_id: int) -> dict[str, datetime]:
    sent = select(Submission.slug, func.max(Submission.created_at)).where(Submission.user_id == user_id)
    written = select(Draft.slug, Draft.updated_at).where(Draft.user_id == user_id)
    found: dict[str, datetime] = {slug: when for slug, when in session.execute(written)}
    for slug, when in session.execute(sent.group_by(Submission.slug)):
        found[slug] = max(when, found.get(slug, when))
    return found
