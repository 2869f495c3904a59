"""The instructor's pages: the class as a matrix, a learner's work at a problem, a problem's mistakes, rejudging."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from judge import classroom, openings, submissions
from judge.models import Judgement
from judge.sheets import as_csv
from web import auth
from web.current import find_problem, service, submission
from web.errors import Refused
from web.i18n import language
from web.matrix import marks, row
from web.problems import title_of
from web.results import arrange
from web.roll import asked_deadline, class_list, columns, sheet

bp = Blueprint("instructor", __name__, url_prefix="/class")
bp.before_request(auth.require_teacher)

WORK_LENGTH = 200
SHOWN_CHANGES = 100


@bp.get("")
def matrix() -> str:
    """Learners x problems: best score, attempts, last activity.

    ``?q=`` keeps the learners whose name has it, ``?until=`` counts what was sent by then.
    """
    deadline, asked = asked_deadline(), request.args.get("q", "").strip().lower()
    everybody = class_list(deadline.before)
    shown = [one for one in everybody if asked in f"{one.name} {one.full_name}".lower()]
    problems = columns(everybody)
    return render_template(
        "class.html",
        learners=shown,
        everybody=len(everybody),
        columns=problems,
        active=sum(1 for one in everybody if one.standings),
        slugs=[column.problem.slug for column in problems],
        row=row,
        marks=marks(),
        deadline=deadline,
        zone=f"UTC{(deadline.at or datetime.now().astimezone()).isoformat()[-6:]}",
        work=url_for("instructor.work", user_id=0, slug="slug").removesuffix("/0/slug"),
        query="" if deadline.text is None else f"?until={deadline.text}",
    )


@bp.get("/export.csv")
def export() -> Response:
    """The matrix as CSV, a row for each learner; ``?until=`` as there."""
    deadline = asked_deadline()
    everybody = class_list(deadline.before)
    response = Response(as_csv(sheet(everybody, columns(everybody))), content_type="text/csv; charset=utf-8")
    day = f"{datetime.now().astimezone():%Y-%m-%d}"
    name = f"class-{day}.csv" if deadline.at is None else f"class-until-{deadline.at:%Y-%m-%d-%H%M}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@bp.get("/learners/<int:user_id>/<slug>")
def work(user_id: int, slug: str) -> str:
    """What a learner sent to a problem, and one submission of it whole: ``?submission=``, else the newest.

    The judgement that counts, or another: ``?judgement=``. ``?until=`` marks what came later.
    """
    deadline = asked_deadline()
    problem = find_problem(slug)
    with service().database.read() as session:
        learner = classroom.person(session, user_id) if user_id < 1 << 31 else None
    if learner is None:
        raise Refused("not-found", 404)
    past = service().history(problem, language(), WORK_LENGTH, user=user_id)
    asked = request.args.get("submission", "")
    wanted = int(asked) if asked.isdecimal() and len(asked) < 16 else past[0]["id"] if past else None
    view = None if wanted is None else submission(wanted)
    if view is not None and (view["user"], view["slug"]) != (user_id, problem.slug):
        raise Refused("not-found", 404)
    with service().database.read() as session:
        judgements = classroom.judgements(session, view["id"]) if view else []
        shown = classroom.shown_of(judgements)
        other = asked_judgement(judgements, shown)
        state = openings.opened(session, user_id, problem.slug)
        sent = classroom.sent(session, user_id, problem.slug)
        best = classroom.best(session, user_id, problem.slug, deadline.before)
    if other is not None:
        view = service().judgement_view(other.id, language())
    return render_template(
        "class_work.html",
        problem=problem,
        title=title_of(problem),
        learner=learner,
        past=past,
        sent=sent,
        best=best,
        deadline=deadline,
        place=partial(url_for, ".work", user_id=user_id, slug=problem.slug, until=deadline.text),
        view=arrange(view) if view else None,
        judgements=judgements,
        shown=shown,
        other=other,
        state=state,
    )


@bp.get("/submissions/<int:submission_id>")
def one(submission_id: int) -> AnyResponse:
    """Where a submission is shown."""
    return to_work(submission(submission_id))


@bp.post("/submissions/<int:submission_id>/rejudge")
def rejudge(submission_id: int) -> AnyResponse:
    """Judge a submission again with its seed, on the problem as it is now."""
    view = submission(submission_id)
    service().rejudge(submission_id)
    return to_work(view)


@bp.get("/problems/<slug>")
def problem(slug: str) -> str:
    """A problem's verdicts and mistakes, and what its last rejudge changed."""
    found = find_problem(slug)
    with service().database.read() as session:
        verdicts = classroom.verdicts(session, found.slug)
        mistakes = classroom.mistakes(session, found.slug)
        changes = classroom.changes(session, found.slug)
        judged = len(submissions.judged_ids(session, found.slug))
    changed = [one for one in changes if one.differs]
    everybody = class_list()
    (column,) = [one for one in columns(everybody) if one.problem.slug == found.slug]
    return render_template(
        "class_problem.html",
        problem=found,
        column=column,
        everybody=len(everybody),
        verdicts=verdicts,
        mistakes=mistakes,
        advice=found.messages(language()).advice,
        judged=judged,
        shown=changed[:SHOWN_CHANGES],
        changed=len(changed),
        same=sum(one.after.status == "done" and not (one.differs or one.failed) for one in changes),
        failed=sum(one.failed for one in changes),
        waiting=sum(one.after.status != "done" for one in changes),
    )


@bp.post("/problems/<slug>/rejudge")
def rejudge_problem(slug: str) -> AnyResponse:
    """Judge every submission to a problem again that counts, if the form confirms it."""
    found = find_problem(slug)
    if request.form.get("confirm") != "yes":
        raise Refused("not-confirmed", 400)
    service().rejudge_problem(found.slug)
    return redirect(url_for("instructor.problem", slug=found.slug, _anchor="rejudge"), 303)


def asked_judgement(judgements: list[Judgement], shown: Judgement | None) -> Judgement | None:
    """The judgement beside ``shown`` that the address asks for, or None. Refused with 404 for no finished one of these."""
    asked = request.args.get("judgement", "")
    if not asked or (shown is not None and asked == str(shown.id)):
        return None
    found = next((one for one in judgements if asked == str(one.id) and one.status == "done"), None)
    if found is None:
        raise Refused("not-found", 404)
    return found


def to_work(view: dict[str, object]) -> AnyResponse:
    """To the page of a submission."""
    place = url_for("instructor.work", user_id=view["user"], slug=view["slug"], submission=view["id"])
    return redirect(place, 303)
