"""One learner of the class: their standings, and an account that lost its password or is to be closed."""

from __future__ import annotations

from flask import Blueprint, current_app, redirect, render_template, url_for
from werkzeug.wrappers import Response

from judge import classroom, scores
from judge.models import User
from judge.passwords import hash_code, new_code
from judge.users import reset_user, suspend_user
from web import auth
from web.current import reader, service
from web.errors import Refused

bp = Blueprint("learners", __name__, url_prefix="/class/accounts")
bp.before_request(auth.require_teacher)


@bp.get("/<int:user_id>")
def show(user_id: int) -> str:
    """What the learner reached, and whether they can log in."""
    return page_of(learner(user_id))


@bp.post("/<int:user_id>/reset")
def reset(user_id: int) -> str:
    """Take the password away and show a new one-time code, in this answer alone."""
    name, code = learner(user_id).name, new_code()
    with service().database.write() as session:
        reset_user(session, name, hash_code(code))
    note(name, "reset")
    return page_of(learner(user_id), code=code)


@bp.get("/<int:user_id>/reset")
def after_reset(user_id: int) -> Response:
    """Where the links of the page with the code lead, such as another language's: the code is not shown again."""
    return to_page(user_id)


@bp.post("/<int:user_id>/suspend")
def suspend(user_id: int) -> Response:
    """Let the learner log in no more, until the next reset."""
    name = learner(user_id).name
    with service().database.write() as session:
        suspend_user(session, name)
    note(name, "suspended")
    return to_page(user_id)


def learner(user_id: int) -> User:
    """The learner of that number; Refused with 404 for anybody else: who teaches is looked after in the terminal."""
    with service().database.read() as session:
        found = classroom.person(session, user_id) if user_id < 1 << 31 else None
    if found is None or found.role != "learner":
        raise Refused("not-found", 404)
    return found


def to_page(user_id: int) -> Response:
    """To the learner's page."""
    return redirect(url_for(".show", user_id=user_id), 303)


def page_of(found: User, code: str | None = None) -> str:
    """The learner's page, with a code where one was just made."""
    with service().database.read() as session:
        standings = scores.standings(session, found.id)
    problems = [one for one in service().catalogue.all() if one.slug in standings]
    return render_template(
        "class_learner.html",
        learner=found,
        problems=problems,
        standings=standings,
        suspended=found.password_hash is None and found.code_hash is None,
        code=code,
    )


def note(name: str, what: str) -> None:
    """A line in the log, of the level that is always kept: who changed whose account."""
    who = reader()
    current_app.logger.warning("account of %s %s by %s", name, what, who.name if who else "nobody")
