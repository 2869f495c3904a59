"""The scratch pane: a few lines of the reader's own run beside their code, told as soon as it is known, never stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, jsonify, make_response, render_template, request, url_for

from judge import lines as judge_lines
from judge.grading.seam import LINES_MAX_CHARS
from judge.tryouts import Tryout
from judge.words import scratch_in_words, verdict_word
from judge.words.pictures import UNREADABLE
from web import current
from web.errors import Refused
from web.facts import code_at
from web.i18n import language, t
from web.pictures import Figure, figures
from web.requests import field, json_body

bp = Blueprint("scratch", __name__)


@dataclass(frozen=True)
class Value:
    """One thing that the lines came to: which line, its code, its value as text, and pictures of it."""

    line: int
    code: str
    text: str
    figures: list[Figure]


@bp.post("/api/scratch")
def begin() -> Response:
    """Take ``{problem, source, lines}``: 202 with the ``token`` of the run and the ``url`` of its panel."""
    body = json_body()
    problem = current.find_problem(str(field(body, "problem", (int, str))))
    source, lines = field(body, "source", (str,)), field(body, "lines", (str,))
    if not lines.strip():
        raise Refused("scratch-empty", 400)
    if len(lines) > LINES_MAX_CHARS:
        raise Refused("scratch-long", 413, most=LINES_MAX_CHARS)
    current.take_turn()
    code = source.encode(errors="surrogatepass")
    lines = lines.encode(errors="replace").decode()  # a lone surrogate is no text for the grader
    user = current.service().user_id(current.reader_id())
    token = current.service().tryouts.begin(user, problem, code, lines)
    response = jsonify({"token": token, "url": url_for("scratch.panel", token=token)})
    response.status_code = 202
    return response


@bp.get("/scratch/<token>/panel")
def panel(token: str) -> Response:
    """What is known of a scratch run, to be swapped into the page; knows ETag and ``Prefer: wait=N``. 404 once forgotten."""
    user = current.service().user_id(current.reader_id())
    with current.seat() as seconds:
        found = current.service().tryouts.find(user, token, seconds)
    if found is None:
        raise Refused("scratch-gone", 404)
    tag = f"{found.token}-{int(found.report is not None)}-{language()}"
    if request.if_none_match.contains_weak(tag):
        return current.not_modified()
    response = make_response(render_template("scratch.html", tryout=found, **told(found)))
    response.set_etag(tag)
    return response


def told(tryout: Tryout) -> dict[str, Any]:
    """What the template needs of a run: its case in words, its values, and the code that its lines are of."""
    report = tryout.report
    view = {"view": {"source": tryout.source.decode("utf-8", "replace")}}
    if report is None:
        return {"case": None, "values": [], "view": view}
    if "fault" in report:
        case = {"verdict": "SE", "message": judge_lines.line(f"fault.{report['fault']}", language())}
        return {"case": case, "values": [], "view": view, "word": verdict_word("SE", language())}
    case = scratch_in_words(report, language())
    word = t("try.done") if case["verdict"] == "AC" else verdict_word(case["verdict"], language())
    where = report.get("load") or case
    return {"case": case, "where": where, "values": values(case, tryout.lines), "view": view, "word": word}


def values(case: dict[str, Any], lines: str) -> list[Value]:
    """The values of a case in their order; one that cannot be read is left out."""
    found = []
    for one in case["values"]:
        try:
            text = str(one["text"])
            found.append(Value(int(one["line"]), code_at(lines, int(one["line"])), text, figures(one)))
        except UNREADABLE:
            continue
    return found
