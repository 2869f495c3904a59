"""Help on the way to a solution, in steps that are stored: hints one by one; editorial and solution after solving or giving up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flask import Blueprint, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from judge import openings
from judge.openings import Opened
from judge.problem import Problem
from web import markdown
from web.current import find_problem, reader, reader_id, service
from web.errors import Refused
from web.i18n import language, t
from web.problems import title_of

bp = Blueprint("steps", __name__)


@dataclass(frozen=True)
class Hint:
    """One hint: its heading always, its text (HTML) only once it was opened."""

    number: int
    heading: str
    body: Markup | None


@bp.post("/problems/<slug>/hints")
def open_hint(slug: str) -> Response | str:
    """Open the hint ``n`` of the form, which must be the next one; the hints again, or back to the page without a script."""
    problem = find_problem(slug)
    asked = request.form.get("n", "")
    known, total = opened(problem).hints, len(problem.hints(language()))
    if not (
        asked.isascii() and asked.isdecimal() and len(asked) < 4 and 1 <= int(asked) <= min(known + 1, total)
    ):
        raise Refused("bad-request", 400)
    openings.open_hint(service().database, service().user_id(reader_id()), problem.slug, int(asked))
    if request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate":
        return redirect(url_for("workspace.show", slug=problem.slug, _anchor="hints"), 303)
    return render_template("hints.html", problem=problem, hints=hints(problem))


@bp.post("/problems/<slug>/give-up")
def give_up(slug: str) -> Response:
    """Store that the reader gives up, if the form confirms it, and show the solution."""
    problem = find_problem(slug)
    if request.form.get("confirm") != "yes":
        raise Refused("not-confirmed", 400)
    openings.give_up(service().database, service().user_id(reader_id()), problem.slug)
    return redirect(url_for("steps.editorial", slug=problem.slug), 303)


@bp.get("/problems/<slug>/editorial")
def editorial(slug: str) -> Response | str:
    """Editorial and solution; Refused with 403 for who neither solved it nor gave up."""
    problem = find_problem(slug)
    if not may_see_solution(problem):
        raise Refused("not-opened", 403)
    others = problem.other_solutions
    return render_template(
        "editorial.html",
        problem=problem,
        title=title_of(problem),
        state=opened(problem),
        editorial=linked(markdown.render(problem.editorial(language())), others),
        solution=listing(problem.solution),
        others={name: listing(source) for name, source in others.items()},
    )


def listing(source: str) -> Markup:
    """Python source with colours."""
    return markdown.render(f"~~~~~~python\n{source}\n~~~~~~")


def linked(editorial: Markup, names: Iterable[str]) -> Markup:
    """``editorial`` with each file of ``solutions/`` that it names leading to its place further down the page."""
    for name in names:
        code = Markup("<code>{}</code>").format(f"solutions/{name}.py")
        link = Markup('<a href="#other-{0}"><code>{0}.py</code></a>').format(name)
        editorial = editorial.replace(code, link)
    return editorial


def opened(problem: Problem) -> Opened:
    """What the reader opened of a problem."""
    with service().database.read() as session:
        return openings.opened(session, service().user_id(reader_id()), problem.slug)


def may_see_solution(problem: Problem) -> bool:
    """Whether the reader solved the problem, gave it up, or teaches."""
    who = reader()
    return (who is not None and who.teaches) or opened(problem).solution


def hints(problem: Problem) -> list[Hint]:
    """Every hint by its heading; with its text those that the reader opened."""
    known = opened(problem).hints
    return [hint(number, text, number <= known) for number, text in enumerate(problem.hints(language()), 1)]


def hint(number: int, text: str, is_open: bool) -> Hint:
    """One hint of a problem's file; one without a heading is called by its number."""
    first, _, rest = text.partition("\n")
    heading, body = (first[3:].strip(), rest) if first.startswith("## ") else ("", text)
    return Hint(number, heading or t("page.hint", n=number), markdown.render(body) if is_open else None)
