"""The list of problems, filtered by a plain GET form so that a filtered list has an address."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template, request

from judge.problem import DIFFICULTIES, Problem
from web.current import reader_id, service
from web.i18n import language

bp = Blueprint("problems", __name__)

STATUSES = ("solved", "tried", "new")


@dataclass(frozen=True)
class Row:
    """One line of the list."""

    problem: Problem
    title: str
    status: str  # one of STATUSES


@bp.get("/")
def index() -> str:
    """The problems that fit ``q``, ``chapter``, ``difficulty`` and ``status`` of the query; unknown values fit all."""
    rows = all_rows()
    return render_template(
        "problems.html",
        rows=[row for row in rows if fits(row)],
        chapters=sorted({row.problem.chapter for row in rows}),
        difficulties=DIFFICULTIES,
        statuses=STATUSES,
        solved=sum(row.status == "solved" for row in rows),
        total=len(rows),
        broken=len(service().catalogue.broken),
    )


def all_rows() -> list[Row]:
    """Every problem by number with its title in the reader's language and what was achieved on it."""
    states = service().status_by_problem(reader_id())
    return [
        Row(problem, title_of(problem), states.get(problem.slug, "new"))
        for problem in service().catalogue.all()
    ]


def title_of(problem: Problem) -> str:
    """The title in the reader's language, or in the one a draft has."""
    return problem.title.get(language()) or next(iter(problem.title.values()))


def fits(row: Row) -> bool:
    """Whether a row passes every filter of the query string."""
    problem, asked = row.problem, request.args
    words = asked.get("q", "").lower().split()
    haystack = " ".join([str(problem.number), problem.slug, *problem.title.values(), *problem.tags]).lower()
    return (
        all(word.lstrip("#") in haystack for word in words)
        and asked.get("chapter", "") in ("", str(problem.chapter))
        and asked.get("difficulty", "") in ("", problem.difficulty)
        and asked.get("status", "") in ("", row.status)
    )
