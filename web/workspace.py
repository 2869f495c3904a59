"""The page where a problem is read and solved, and the pieces of it that are fetched again: results and history.

Results are drawn here only, by one escaped template; the script swaps in what changed. So they read the same without
a script, where a plain form posts the code and the page refreshes itself until the verdict is there.
"""

from __future__ import annotations

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from judge.drafts import text_of
from judge.models import Draft
from judge.overview import beside
from judge.problem import Problem
from web import drafts, editor_help, example, guard, markdown, steps
from web.current import (
    View,
    answer_fresh,
    find_problem,
    is_own,
    reader_id,
    service,
    submission,
    submit,
)
from web.current import retry as judge_again
from web.errors import Refused
from web.i18n import language, t
from web.problems import overview, title_of
from web.results import arrange
from web.standing import ahead, newer, row_of

bp = Blueprint("workspace", __name__)

HISTORY_LENGTH = 50


@bp.get("/problems/<slug>")
def show(slug: str) -> AnyResponse:
    """The workspace, with the submission of ``?submission=`` or the latest one beside it."""
    problem = find_problem(slug)
    if problem.slug != slug:
        return redirect(url_for("workspace.show", slug=problem.slug))
    past = history_of(problem)
    shown = chosen_submission(problem, past)
    draft = drafts.stored(problem)
    rows = overview()
    before, after = beside(rows, problem.slug)
    page = render_template(
        "workspace.html",
        problem=problem,
        title=title_of(problem),
        statement=markdown.render(problem.statement(language())),
        hints=steps.hints(problem),
        may_see_solution=steps.may_see_solution(problem),
        source=code(problem, shown, draft),
        row=row_of(rows, problem),
        view=arrange(shown) if shown else None,
        ahead=ahead(shown) if shown else None,
        newer=newer(shown) if shown else None,
        history=past,
        before=before,
        after=after,
        scratch_example=example.lines_of(problem),
        boot=boot(problem, draft),
    )
    response = make_response(page)
    response.headers["Content-Security-Policy"] = guard.WITH_EDITOR
    return response


@bp.post("/problems/<slug>")
def send(slug: str) -> AnyResponse:
    """Take the code of a plain form and show the workspace again with its results."""
    problem = find_problem(slug)
    if "source" not in request.form:
        raise Refused("bad-request", 400)
    # Browsers send line ends of a text area as CRLF, whatever was typed.
    source = request.form["source"].replace("\r\n", "\n")
    submission_id = submit(problem, source, request.form.get("mode", "submit"))
    drafts.overwrite(problem, source)
    return redirect(
        url_for("workspace.show", slug=problem.slug, submission=submission_id, _anchor="results"), 303
    )


@bp.get("/problems/<slug>/history")
def history(slug: str) -> str:
    """The table of past submissions, to be swapped into the page."""
    problem = find_problem(slug)
    return render_template("history.html", problem=problem, history=history_of(problem))


@bp.get("/problems/<slug>/standing")
def standing(slug: str) -> str:
    """The mark by the title and the section behind the statement, to be swapped into the page after a verdict."""
    problem = find_problem(slug)
    return render_template(
        "standing_pieces.html",
        problem=problem,
        row=row_of(overview(), problem),
        may_see_solution=steps.may_see_solution(problem),
    )


@bp.get("/submissions/<int:submission_id>/panel")
def panel(submission_id: int) -> Response:
    """The results of one submission, to be swapped into the page; knows ETag and ``Prefer: wait=N``."""
    return answer_fresh(
        submission_id,
        lambda view: make_response(
            render_template("panel.html", view=arrange(view), ahead=ahead(view), newer=newer(view))
        ),
    )


@bp.post("/submissions/<int:submission_id>/retry")
def retry(submission_id: int) -> AnyResponse:
    """Judge once more what ended by the judge's own fault."""
    view = submission(submission_id)
    judge_again(view)
    if not is_own(view):
        return redirect(url_for("instructor.one", submission_id=submission_id), 303)
    return redirect(
        url_for("workspace.show", slug=view["slug"], submission=submission_id, _anchor="results"), 303
    )


def history_of(problem: Problem) -> list[View]:
    """The problem's latest submissions, newest first."""
    return service().history(problem, language(), HISTORY_LENGTH, reader_id())


def chosen_submission(problem: Problem, past: list[View]) -> View | None:
    """The submission that the address asks for, else the newest; None before the first."""
    asked = request.args.get("submission", "")
    wanted = int(asked) if asked.isdecimal() and len(asked) < 16 else None
    if wanted is None:
        return submission(past[0]["id"]) if past else None
    view = submission(wanted)
    if view["slug"] != problem.slug or not is_own(view):
        raise Refused("not-found", 404)
    return view


def code(problem: Problem, shown: View | None, draft: Draft | None) -> str:
    """What the text area holds: the submission that the address asks for, else the draft, the latest, the starter."""
    if draft is not None and "submission" not in request.args:
        return text_of(draft)
    source: str = shown["source"] if shown else problem.starter
    return source


SCRIPT_WORDS = (
    "editor.label", "editor.fallback", "editor.loading-failed", "draft.kept", "draft.reset", "draft.restored",
    "draft.saved", "draft.offline", "draft.login", "draft.large", "draft.nowhere", "draft.difference",
    "draft.kept-short", "draft.reset-short", "draft.restored-short", "draft.offline-short", "draft.login-short",
    "draft.large-short", "draft.nowhere-short",
    "hint.offline", "status.sending", "status.offline", "status.login", "status.reset-confirm", "status.unsent",
)  # fmt: skip


def boot(problem: Problem, draft: Draft | None) -> dict[str, object]:
    """What the page's script needs to know, as JSON."""
    return {
        "slug": problem.slug,
        "file": f"{problem.number}-{problem.slug}.py",
        "user": reader_id(),
        "draft": drafts.as_json(draft),
        "starter": problem.starter,
        "lang": language(),
        "urls": {
            "submit": url_for("api.submit"),
            "panel": url_for("workspace.panel", submission_id=0),  # the script puts the number in
            "history": url_for("workspace.history", slug=problem.slug),
            "alive": url_for("api.health"),
            "standing": url_for("workspace.standing", slug=problem.slug),
            "draft": url_for("drafts.store", slug=problem.slug),
            "difference": url_for("difference.between"),
            "scratch": url_for("scratch.begin"),
            "help": url_for("editor_help.answer") if editor_help.helps_with(problem) else "",
        },
        "words": {key: t(key) for key in SCRIPT_WORDS},
    }


@bp.get("/submissions/<int:submission_id>/code.py")
def source_file(submission_id: int) -> Response:
    """The source of one submission as a file to keep."""
    view = submission(submission_id)
    response = make_response(view["source"])
    response.headers["Content-Type"] = "text/x-python; charset=utf-8"
    name = f"{view['problem']}-{view['slug']}-{view['id']}.py"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
