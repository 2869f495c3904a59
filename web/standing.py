"""Where the reader stands at a problem, and where a submission of theirs leads on to."""

from __future__ import annotations

from dataclasses import dataclass

from judge import submissions
from judge.overview import Row, beside
from judge.problem import Problem
from web.current import View, is_own, reader_id, service
from web.problems import overview


@dataclass(frozen=True)
class Ahead:
    """Where one goes on from a problem that is solved: to its editorial, and to the problem after it, if there is one."""

    after: Row | None


def ahead(view: View) -> Ahead | None:
    """What the results of the reader's own accepted submission lead on to."""
    accepted = view["status"] == "done" and view["mode"] == "submit" and view["verdict"] == "AC"
    return Ahead(beside(overview(), view["slug"])[1]) if accepted and is_own(view) else None


def newer(view: View) -> int | None:
    """The number of the reader's latest submission to the problem, where this is one of their earlier ones."""
    if view["status"] != "done" or not is_own(view):  # hundreds may watch one that is not
        return None
    with service().database.read() as session:
        last = submissions.newest_id(session, service().user_id(reader_id()), view["slug"])
    return last if last != view["id"] else None


def row_of(rows: list[Row], problem: Problem) -> Row:
    """The reader's standing at a problem; a new one's where the bank has just changed."""
    found = next((row for row in rows if row.problem.slug == problem.slug), None)
    return found or Row(problem, "new", None, gave_up=False, touched_at=None)
