"""What changed between two sources: attempts, the draft, the starter, and the solution once it may be seen."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass

from flask import Blueprint, Response, make_response, render_template, request

from judge import scores
from judge.drafts import text_of
from judge.problem import Problem
from web import drafts, guard
from web.current import find_problem, is_own, reader_id, service, submission
from web.errors import Refused
from web.i18n import t
from web.problems import title_of
from web.requests import field, json_body
from web.results import moment
from web.steps import may_see_solution
from web.workspace import history_of

bp = Blueprint("difference", __name__)

CONTEXT_LINES = 4
MOST_LINES = 6000  # of a source that is compared line by line
MOST_PAIRS = 60_000  # of equal lines: what difflib's time grows with


@dataclass(frozen=True)
class Line:
    """One line of a difference; ``kind`` is same, old, new or gap. Numbers count from 1."""

    kind: str
    old: int | None = None
    new: int | None = None
    text: str = ""


@dataclass(frozen=True)
class Choice:
    """A source that may be compared."""

    key: str
    label: str


@bp.get("/problems/<slug>/compare")
def show(slug: str) -> Response:
    """The difference from ``?left=`` to ``?right=``: a submission's number, ``draft``, ``starter`` or ``solution``.

    ``?left=mine`` is `own_best`.
    """
    problem = find_problem(slug)
    offered = choices(problem)
    left = chosen("left", offered, "starter")
    if left == "mine":
        left = own_best(problem, offered)
    right = chosen("right", offered, next((one.key for one in offered if one.key != left), left))
    old, new = source_of(problem, left), source_of(problem, right)
    page = render_template(
        "compare.html",
        problem=problem,
        title=title_of(problem),
        choices=offered,
        left=left,
        right=right,
        old=old,
        new=new,
        lines=difference(old, new),
    )
    response = make_response(page)
    response.headers["Content-Security-Policy"] = guard.WITH_EDITOR
    return response


@bp.post("/api/difference")
def between() -> str:
    """The difference between ``{old, new}`` as a piece of HTML, for a page without Monaco."""
    body = json_body()
    lines = difference(field(body, "old", (str,)), field(body, "new", (str,)))
    return render_template("difference.html", lines=lines)


def choices(problem: Problem) -> list[Choice]:
    """What the reader may compare: the draft and the attempts, newest first, then starter and solution."""
    found = [Choice("draft", t("compare.draft"))] if drafts.stored(problem) else []
    for one in history_of(problem):
        verdict = one["verdict"] or t(f"result.{one['status']}")
        label = f"{t('result.number', id=one['id'])} · {t('mode.' + one['mode'])} · {verdict} · {moment(one['created_at'])}"
        found.append(Choice(str(one["id"]), label))
    found.append(Choice("starter", t("compare.starter")))
    if may_see_solution(problem):
        found.append(Choice("solution", t("compare.solution")))
    return found


def own_best(problem: Problem, offered: list[Choice]) -> str:
    """The key of the reader's latest accepted submission, else of the draft, the latest attempt, the starter."""
    with service().database.read() as session:
        accepted = scores.latest_accepted(session, service().user_id(reader_id()), problem.slug)
    return str(accepted) if accepted else offered[0].key


def chosen(side: str, offered: list[Choice], default: str) -> str:
    """The key that the address asks for; Refused with 404 for one that is not offered (a number may be older)."""
    asked = request.args.get(side, default)
    known = {choice.key for choice in offered} | ({"mine"} if side == "left" else set())
    if asked not in known and not (asked.isascii() and asked.isdecimal() and len(asked) < 16):
        raise Refused("not-found", 404)
    return asked


def source_of(problem: Problem, key: str) -> str:
    """The source of a key; Refused with 404 for a submission of somebody else or to another problem."""
    if key in ("starter", "solution"):
        return problem.starter if key == "starter" else problem.solution
    if key == "draft":
        draft = drafts.stored(problem)
        return text_of(draft) if draft else ""
    view = submission(int(key))
    if view["slug"] != problem.slug or not is_own(view):
        raise Refused("not-found", 404)
    source: str = view["source"]
    return source


def difference(old: str, new: str) -> list[Line]:
    """The lines of both with a few lines around each change; none when they are equal."""
    before, after = old.splitlines(), new.splitlines()
    if before == after:
        return []
    found: list[Line] = []
    last = (0, 0)
    for group in grouped(before, after):
        if (group[0][1], group[0][3]) != last:
            found.append(Line("gap"))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                found += [Line("same", i + 1, j1 + i - i1 + 1, before[i]) for i in range(i1, i2)]
            else:
                found += [Line("old", i + 1, None, before[i]) for i in range(i1, i2)]
                found += [Line("new", None, j + 1, after[j]) for j in range(j1, j2)]
        last = (group[-1][2], group[-1][4])
    if last != (len(before), len(after)):
        found.append(Line("gap"))
    return found


def grouped(before: list[str], after: list[str]) -> list[list[tuple[str, int, int, int, int]]]:
    """difflib's groups of changes; sources that would take it long count as changed from end to end."""
    counts = Counter(after)
    pairs = sum(counts[line] for line in before)
    if max(len(before), len(after)) > MOST_LINES or pairs > MOST_PAIRS:
        return [[("replace", 0, len(before), 0, len(after))]]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [list(group) for group in matcher.get_grouped_opcodes(CONTEXT_LINES)]
