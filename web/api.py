"""The JSON API: submit, follow, list. Errors are ``{"error": {"code", "message"}}``, in the reader's language."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, url_for

from web import current
from web.current import (
    View,
    answer_fresh,
    asked_wait_s,
    etag,
    find_problem,
    service,
    submission,
    wait_until_done,
)
from web.problems import overview, title_of
from web.requests import field, json_body
from web.workspace import history_of

bp = Blueprint("api", __name__)


@bp.post("/api/submissions")
def submit() -> Response:
    """Take ``{problem, source, mode}``: 201 with the view once done, 202 while it is judged."""
    body = json_body()
    problem = find_problem(str(field(body, "problem", (int, str))))
    source = field(body, "source", (str,))
    submission_id = current.submit(problem, source, body.get("mode", "submit"))
    return answer_created(wait_until_done(submission(submission_id)))


@bp.get("/api/submissions/<int:submission_id>")
def show(submission_id: int) -> Response:
    """The view of one submission; 304 while the client holds the same."""
    return answer_fresh(submission_id, jsonify)


@bp.post("/api/submissions/<int:submission_id>/retry")
def retry(submission_id: int) -> Response:
    """Judge once more what ended by the judge's own fault; 409 for any other verdict."""
    current.retry(submission(submission_id))
    return answer_created(wait_until_done(submission(submission_id)))


@bp.get("/api/problems")
def problems() -> Response:
    """Every problem with number, slug, title and what was achieved on it."""
    return jsonify(
        {
            "problems": [
                {
                    "number": row.problem.number,
                    "slug": row.problem.slug,
                    "title": title_of(row.problem),
                    "chapter": row.problem.chapter,
                    "difficulty": row.problem.difficulty,
                    "tags": list(row.problem.tags),
                    "status": row.status,
                    "url": url_for("workspace.show", slug=row.problem.slug),
                }
                for row in overview()
            ]
        }
    )


@bp.get("/api/problems/<slug>/submissions")
def submissions(slug: str) -> Response:
    """The latest submissions to one problem, newest first."""
    return jsonify({"submissions": history_of(find_problem(slug))})


@bp.get("/healthz")
def health() -> Response:
    """That this process answers and can read its problems; for a supervisor."""
    return jsonify({"status": "ok", "problems": len(service().catalogue.all())})


def answer_created(view: View) -> Response:
    """201 when done, else 202; with the address to follow."""
    response = jsonify(view)
    response.status_code = 201 if view["status"] == "done" else 202
    response.headers["Location"] = url_for("api.show", submission_id=view["id"])
    response.set_etag(etag(view["id"], view["version"]))
    if asked_wait_s():
        response.headers["Preference-Applied"] = f"wait={asked_wait_s():.0f}"
    return response
