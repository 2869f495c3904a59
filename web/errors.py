"""One refusal type that is safe to show, and how each error is answered: JSON under /api, a page elsewhere."""

from __future__ import annotations

from flask import Flask, Response, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException

from judge.lines import UserError
from web.i18n import language, t

CODES = {404: "not-found", 405: "wrong-method", 413: "too-large"}


class Refused(Exception):
    """A request that is not served: a stable code (its sentence is ``error.<code>``) and an HTTP status."""

    def __init__(self, code: str, status: int, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.status = status
        self.values = values


def install(app: Flask) -> None:
    """Answer refusals and HTTP errors of ``app`` in the reader's language."""
    app.register_error_handler(Refused, answer_refusal)
    app.register_error_handler(UserError, answer_user_error)
    app.register_error_handler(HTTPException, answer_http_error)


def answer_refusal(refusal: Refused) -> Response:
    """The refusal's sentence with its status."""
    response = answer(refusal.code, refusal.status, t(f"error.{refusal.code}", **refusal.values))
    if refusal.status == 429:
        response.headers["Retry-After"] = str(refusal.values["seconds"])
    return response


def answer_user_error(error: UserError) -> Response:
    """What the judge itself says, such as a full queue; all of it passes, so 503 with a time to come back."""
    response = answer(error.key, 503, error.line(language()))
    response.headers["Retry-After"] = "5"
    return response


def answer_http_error(error: HTTPException) -> Response:
    """Flask's own errors in our words; redirects and the like pass unchanged."""
    status = error.code or 500
    if status < 400:
        return make_response(error.get_response())
    code = CODES.get(status, "internal" if status >= 500 else "bad-request")
    response = answer(code, status, t(f"error.{code}"))
    if status == 405:
        response.headers["Allow"] = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
    return response


def answer(code: str, status: int, message: str) -> Response:
    """An error as JSON for the API, as a page for a browser."""
    if request.path.startswith("/api/"):
        response = jsonify({"error": {"code": code, "message": message}})
    else:
        response = make_response(render_template("error.html", status=status, message=message))
    response.status_code = status
    return response
