"""The list of problems, filtered by a plain GET form so that a filtered list has an address, and the chapters of the book."""

from __future__ import annotations

from flask import Blueprint, current_app, render_template, request

from judge.books import chapter_titles
from judge.overview import Filter, Row, by_chapter, next_up
from judge.problem import DIFFICULTIES, Problem, ProblemError
from judge.statuses import STATUSES
from web.current import reader_id, service
from web.errors import Refused
from web.i18n import language

bp = Blueprint("problems", __name__)


@bp.get("/")
def index() -> str:
    """The problems that fit ``q``, ``chapter``, ``difficulty``, ``status`` and ``tag`` of the query; unknown values fit none."""
    rows = overview()
    wanted = asked()
    return render_template(
        "problems.html",
        rows=[row for row in rows if wanted.fits(row)],
        filtered=wanted != Filter(),
        chapters=by_chapter(rows),
        titles=titles(),
        difficulties=DIFFICULTIES,
        statuses=STATUSES,
        tags_known=sorted({tag for row in rows for tag in row.problem.tags}),
        solved=sum(row.status == "solved" for row in rows),
        total=len(rows),
        following=next_up(rows),
        broken=len(service().catalogue.broken),
    )


@bp.get("/chapters/<int:number>")
def chapter(number: int) -> str:
    """The problems of one chapter in order; Refused with 404 for one without problems."""
    chapters = by_chapter(overview())
    place = next((place for place, one in enumerate(chapters) if one.number == number), None)
    if place is None:
        raise Refused("unknown-chapter", 404)
    return render_template(
        "chapter.html",
        chapter=chapters[place],
        before=chapters[place - 1] if place else None,
        after=chapters[place + 1] if place + 1 < len(chapters) else None,
        titles=titles(),
        following=next_up(chapters[place].rows),
    )


def overview() -> list[Row]:
    """Where the reader stands at every problem, in the order of the book."""
    return service().overview(reader_id())


def asked() -> Filter:
    """The filter of the query string."""
    args = request.args
    return Filter(
        words=args.get("q", ""),
        chapter=args.get("chapter", ""),
        difficulty=args.get("difficulty", ""),
        status=args.get("status", ""),
        tag=args.get("tag", ""),
    )


def titles() -> dict[int, str]:
    """The titles of chapters in the reader's language; none where the file that has them is broken."""
    try:
        found = chapter_titles(service().catalogue.roots)
    except ProblemError as error:
        current_app.logger.warning("%s", error)
        return {}
    return {number: by_language[language()] for number, by_language in found.items()}


def title_of(problem: Problem) -> str:
    """The title in the reader's language, or in the one that a draft has."""
    return problem.title.get(language()) or next(iter(problem.title.values()))


def part_titles(slug: str) -> dict[str, str]:
    """The titles of a problem's parts in the reader's language; none where the problem is gone."""
    problem = next((one for one in service().catalogue.all() if one.slug == slug), None)
    return {part.name: part.title.get(language(), part.name) for part in (problem.parts if problem else ())}
