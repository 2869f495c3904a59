"""The file that reproduces a failing case, to be downloaded: made from what the reader may see of the submission."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, make_response

from judge import repro
from web.current import find_problem, submission
from web.errors import Refused
from web.i18n import language

bp = Blueprint("reproduce", __name__)


@bp.get("/submissions/<int:submission_id>/reproduce/<case>.py")
def file(submission_id: int, case: str) -> Response:
    """A plain Python file for one failed case; 404 where there is none that the reader may have."""
    view = submission(submission_id)
    problem = find_problem(view["slug"])
    found: dict[str, Any] = next((one for one in view["cases"] or [] if one["name"] == case), {})
    name = repro.workspace_name(problem)
    text = repro.write(found, problem, language(), submission=name)
    if text is None:
        raise Refused("not-found", 404)
    response = make_response(text)
    response.headers["Content-Type"] = "text/x-python; charset=utf-8"
    file_name = repro.file_name(case, name.removesuffix(".py"))
    response.headers["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response
