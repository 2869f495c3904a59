"""The judge behind the current application, and the requests that may wait for it."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from flask import Response, abort, current_app, g, make_response, request

from judge.catalogue import UnknownProblem
from judge.problem import Problem, ProblemError
from judge.users import Reader
from web.errors import Refused
from web.i18n import language

if TYPE_CHECKING:
    from judge.service import Service
    from judge.submissions import Mode
    from judge.views import Seen

View = dict[str, Any]
"""A submission as the service shows it: disclosed, and in the reader's language."""

MODES = ("run", "submit")
THREADS = 16
LARGEST_ID = (1 << 63) - 1  # what a database can be asked for
LONGEST_WAIT_S = 2.0
NEAR = 4  # places in the queue from which every change is waited for
LONGEST_PACE_S = 30
_waiting = threading.BoundedSemaphore(THREADS // 2)  # the other half always answers at once


def service() -> Service:
    """The judge's service that this application was made with."""
    return cast("Service", current_app.extensions["judge"])


def find_problem(name: str) -> Problem:
    """The problem of a number or slug; Refused with 404 or, for a broken folder, 503."""
    try:
        return service().catalogue.find(name)
    except UnknownProblem:
        raise Refused("unknown-problem", 404) from None
    except ProblemError as error:
        current_app.logger.warning("%s", error)
        raise Refused("broken-problem", 503) from None


def reader() -> Reader | None:
    """Who is logged in; None without accounts, and where nobody is."""
    found: Reader | None = g.get("reader")
    return found


def reader_id() -> int | None:
    """Whose work is shown and done: the reader's; None without accounts, which is the one user's."""
    who = reader()
    return who.id if who else None


def submission(submission_id: int) -> View:
    """The submission's view in the reader's language; 404 where there is none that the reader may see."""
    found = submission_id <= LARGEST_ID and service().view(submission_id, language(), reader())
    return found or abort(404)


def is_own(view: View) -> bool:
    """Whether a submission is the reader's, and not one that they may see because they teach."""
    return reader_id() in (None, view["user"])


def submit(problem: Problem, source: str, mode: object) -> int:
    """Store a submission and have it judged; its number. Refused with 400 for an unknown mode."""
    if mode not in MODES:
        raise Refused("bad-field", 400, field="mode", expected=" / ".join(MODES))
    take_turn()
    # A lone surrogate may come in by JSON; as bytes it is no UTF-8, which is the cell's to say.
    return service().submit(problem, source.encode(errors="surrogatepass"), cast("Mode", mode), reader_id())


def take_turn() -> None:
    """Count one thing more that is judged for the reader; Refused with 429 where they come too fast."""
    who = reader()
    wait_s = current_app.extensions["submit-pace"].take(who.id) if who else 0
    if wait_s:
        raise Refused("too-fast", 429, seconds=wait_s)


def retry(view: View) -> None:
    """Have judged again what ended by our own fault; Refused with 409 for any other verdict."""
    if view["verdict"] != "SE":
        raise Refused("not-retryable", 409)
    service().retry(view["id"])


def etag(submission_id: int, version: int) -> str:
    """What changes whenever a submission's view does."""
    return f"{submission_id}-{version}-{language()}"


def asked_wait_s() -> float:
    """The seconds of ``Prefer: wait=N``, at most two; 0 where it is absent."""
    found = re.search(r"\bwait=(\d{1,3})\b", request.headers.get("Prefer", ""))
    return min(float(found[1]), LONGEST_WAIT_S) if found else 0.0


@contextmanager
def seat() -> Iterator[float]:
    """The seconds that this request may wait: as asked, 0 where too many wait already."""
    wait_s = asked_wait_s()
    if not wait_s or not _waiting.acquire(blocking=False):
        yield 0.0
        return
    try:
        yield wait_s
    finally:
        _waiting.release()


def wait_until_done(view: View) -> View:
    """The view once it is done, or after the asked time, or at once where too many wait already."""
    if view["status"] == "done":
        return view
    with seat() as wait_s:
        if not wait_s:
            return view
        service().wait(view["id"], wait_s)
    return submission(view["id"])


def answer_fresh(submission_id: int, render: Callable[[View], Response]) -> Response:
    """The submission as ``render`` puts it, 304 while the client holds the same; waited for as `wait_until_done` does.

    A client that holds the view costs no view: hundreds may ask again and again. Who is not among the next is told when to.
    404 as `submission`.
    """
    seen = _seen(submission_id)
    if request.if_none_match.contains_weak(etag(submission_id, seen.version)):
        held = seen.version
        if not seen.done and seen.position <= NEAR:
            with seat() as wait_s:
                if wait_s and service().wait(submission_id, wait_s, held):
                    seen = _seen(submission_id)
        if seen.version == held:
            return paced(not_modified(), seen.position)
    view = submission(submission_id)
    response = render(view)
    response.set_etag(etag(view["id"], view["version"]))
    return paced(response, view["queue_position"])


def paced(response: Response, position: int) -> Response:
    """With the seconds after which to ask again, half of what is left to wait, for who is not among the next."""
    if position > NEAR:
        half_s = math.ceil(service().expected_wait_s(position) / 2)
        response.headers["Retry-After"] = str(min(LONGEST_PACE_S, max(1, half_s)))
    return response


def not_modified() -> Response:
    """304 with the tag that the client holds."""
    response = make_response("", 304)
    response.headers["ETag"] = request.if_none_match.to_header()
    return response


def _seen(submission_id: int) -> Seen:
    found = service().seen(submission_id, reader()) if submission_id <= LARGEST_ID else None
    return found or abort(404)
