"""The editor's questions over HTTP: completion, signature, hover, check and format, paced and few at a time."""

from __future__ import annotations

import threading
from typing import Any

from flask import Blueprint, Flask, Response, current_app, jsonify, make_response

from judge.grading.seam import SOURCE_MAX_BYTES
from judge.problem import Problem
from web.current import find_problem, reader_id
from web.errors import Refused
from web.helper import Helper, available
from web.limits import Pace
from web.requests import field, json_body

bp = Blueprint("editor_help", __name__)

KINDS = ("complete", "ahead", "signature", "hover", "check", "format")
ASKED_MOST, ASKED_WINDOW_S = 400, 60.0  # of one user; quick typists ask for three a second
_busy = threading.BoundedSemaphore(4)  # of the server's threads, so that pages never wait for help


def install(app: Flask, wanted: bool) -> None:
    """Give ``app`` its helper; None where it is switched off or the tools are missing, and the site goes without."""
    app.extensions["helper"] = Helper() if wanted and available() else None
    app.extensions["help-pace"] = Pace(ASKED_MOST, ASKED_WINDOW_S)
    app.register_blueprint(bp)


def helps_with(problem: Problem) -> bool:
    """Whether the editor may ask about this problem."""
    return current_app.extensions["helper"] is not None and not problem.plain_editor


@bp.post("/api/help")
def answer() -> Response:
    """Take ``{problem, source, what, line, column}``: 200 with the answer, 204 where there is none now."""
    body = json_body()
    problem = find_problem(str(field(body, "problem", (int, str))))
    helper: Helper | None = current_app.extensions["helper"]
    if helper is None or problem.plain_editor:
        raise Refused("no-help", 404)
    what, source = field(body, "what", (str,)), field(body, "source", (str,))
    if what not in KINDS:
        raise Refused("bad-field", 400, field="what", expected=" / ".join(KINDS))
    line, column = place(body, "line"), place(body, "column")
    user = reader_id() or 0
    wait_s = current_app.extensions["help-pace"].take(user)
    if wait_s:
        raise Refused("too-fast", 429, seconds=wait_s)
    if len(source) > SOURCE_MAX_BYTES or not _busy.acquire(blocking=False):
        return make_response("", 204)
    try:
        found = helper.ask(what, problem, user, source, line, column)
    finally:
        _busy.release()
    return make_response("", 204) if found is None else jsonify(found)


def place(body: dict[str, Any], name: str) -> int:
    """A line or column, 0 where none is given; Refused with 400 for what is none."""
    if name not in body:
        return 0
    value: int = field(body, name, (int,))
    if not 0 <= value < SOURCE_MAX_BYTES:
        raise Refused("bad-field", 400, field=name, expected=f"0 … {SOURCE_MAX_BYTES}")
    return value
