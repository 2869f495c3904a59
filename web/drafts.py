"""Drafts over the API, beside the copy that each browser keeps: read, store, and told when another browser was first."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from flask import Blueprint, Response, jsonify

from judge.drafts import DraftChanged, DraftTooLarge, find_draft, own_code, save_draft, text_of
from judge.models import Draft
from judge.problem import Problem
from web.current import find_problem, reader_id, service
from web.errors import answer
from web.i18n import language, t
from web.requests import field, json_body

bp = Blueprint("drafts", __name__)


@bp.get("/api/problems/<slug>/draft")
def show(slug: str) -> Response:
    """``{"draft": {source, version, updated_at} | null}`` of the reader."""
    return jsonify({"draft": as_json(stored(find_problem(slug)))})


@bp.put("/api/problems/<slug>/draft")
def store(slug: str) -> Response:
    """Take ``{source, based_on}``: 200 with the new version; 409 with what is stored where ``based_on`` is not its version."""
    problem, body = find_problem(slug), json_body()
    source = field(body, "source", (str,))
    based_on = field(body, "based_on", (int,))
    try:
        draft = save_draft(service().database, service().user_id(reader_id()), problem.slug, source, based_on)
    except DraftTooLarge as error:
        return answer(error.key, 413, error.line(language()))
    except DraftChanged as error:
        refusal = {"code": "draft-changed", "message": t("error.draft-changed")}
        response = jsonify({"error": refusal, "draft": as_json(error.draft)})
        response.status_code = 409
        return response
    return jsonify(
        {"version": draft.version, "updated_at": draft.updated_at.isoformat(timespec="milliseconds")}
    )


@bp.get("/code.zip")
def everything() -> Response:
    """The reader's latest code of every problem as a ZIP file."""
    with service().database.read() as session:
        sources = own_code(session, service().user_id(reader_id()))
    numbers = {problem.slug: problem.number for problem in service().catalogue.all()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for slug, source in sorted(sources.items()):
            archive.writestr(f"code/{numbers.get(slug, 0)}-{slug}.py", source)
    response = Response(packed.getvalue(), content_type="application/zip")
    response.headers["Content-Disposition"] = 'attachment; filename="code.zip"'
    return response


def stored(problem: Problem) -> Draft | None:
    """The reader's draft of a problem."""
    with service().database.read() as session:
        return find_draft(session, service().user_id(reader_id()), problem.slug)


def overwrite(problem: Problem, source: str) -> None:
    """Make ``source``, just sent by a plain form, the reader's draft; one over the limit is left out."""
    try:
        save_draft(service().database, service().user_id(reader_id()), problem.slug, source, None)
    except DraftTooLarge:
        return  # the judge says so in its verdict


def as_json(draft: Draft | None) -> dict[str, Any] | None:
    """A draft as the page's script reads it."""
    if draft is None:
        return None
    return {
        "source": text_of(draft),
        "version": draft.version,
        "updated_at": draft.updated_at.isoformat(timespec="milliseconds"),
    }
