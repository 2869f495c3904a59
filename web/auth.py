"""Who reads: with accounts a login is asked for before any page, and a password after a one-time code."""

from __future__ import annotations

from flask import Blueprint, Flask, current_app, g, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from judge import accounts
from judge.lines import UserError
from judge.users import Reader
from web.current import reader, service
from web.errors import Refused
from web.i18n import language, t
from web.limits import Limiter

bp = Blueprint("auth", __name__)

OPEN = frozenset({"auth.login", "auth.enter", "api.health", "watching.show"})
WITHOUT_PASSWORD = frozenset({"auth.password", "auth.choose", "auth.logout"})


def install(app: Flask) -> None:
    """Ask every request of ``app`` who it comes from, after the checks of guard.py."""
    app.extensions["login-limiter"] = Limiter()
    app.before_request(require_login)
    app.jinja_env.globals["reader"] = reader
    app.register_blueprint(bp)


def require_login() -> Response | None:
    """Let through who may read on; others are sent to the login, the API answers 401."""
    if not current_app.config["ACCOUNTS"]:
        return None
    token = session.get("login")
    g.reader = accounts.reader_of(service().database, token) if isinstance(token, str) else None
    if request.endpoint in OPEN:
        return None
    if g.reader is None:
        return turn_away(Refused("login-needed", 401), url_for("auth.login", next=wanted_page()))
    if g.reader.must_choose and request.endpoint not in WITHOUT_PASSWORD:
        return turn_away(Refused("password-needed", 403), url_for("auth.password"))
    # a tab left open by the one who logged out must not write into the next one's account
    if request.headers.get("Judge-Reader", str(g.reader.id)) != str(g.reader.id):
        raise Refused("other-reader", 403)
    return None


def turn_away(refusal: Refused, place: str) -> Response:
    """To another page; a program or a script, which could not follow, is refused."""
    if request.path.startswith("/api/") or request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
        raise refusal
    return redirect(place, 303)


def require_teacher() -> None:
    """Refused with 403 for a learner; with 404 where there are no accounts, and so no class."""
    if not current_app.config["ACCOUNTS"]:
        raise Refused("not-found", 404)
    who = reader()
    if who is None or not who.teaches:
        raise Refused("not-allowed", 403)


@bp.get("/login")
def login() -> Response | str:
    """The login form; home for who is logged in already."""
    if not current_app.config["ACCOUNTS"] or reader():
        return redirect(url_for("problems.index"))
    return render_template("login.html", error=None)


@bp.post("/login")
def enter() -> Response | tuple[str, int]:
    """Open a login for a name with its password or one-time code; slow down who guesses."""
    if not current_app.config["ACCOUNTS"]:
        raise Refused("not-found", 404)
    name, secret = request.form.get("name", "").strip(), request.form.get("password", "")
    limiter: Limiter = current_app.extensions["login-limiter"]
    wait_s = limiter.begin(name.lower(), request.remote_addr or "")
    if wait_s:
        return refuse_login(t("login.too-often", minutes=-(-wait_s // 60)), 429)
    token = accounts.log_in(service().database, name, secret)
    if token is None:
        return refuse_login(t("login.wrong"), 403)
    limiter.succeed(name.lower(), request.remote_addr or "")
    begin_session(token)
    return redirect(safe_page(request.form.get("next")), 303)


@bp.post("/logout")
def logout() -> Response:
    """End the login and everything this browser keeps of it."""
    if isinstance(token := session.get("login"), str):
        accounts.log_out(service().database, token)
    session.clear()
    return redirect(url_for("auth.login" if current_app.config["ACCOUNTS"] else "problems.index"), 303)


@bp.get("/password")
def password() -> str:
    """The form to choose a password, or another one."""
    return render_template("password.html", who=somebody(), error=None)


@bp.post("/password")
def choose() -> Response | tuple[str, int]:
    """Store a new password; every other browser of this user is logged out."""
    who, form, database = somebody(), request.form, service().database
    problem = None
    if form.get("new") != form.get("again"):
        problem = t("password.differ")
    elif not accounts.confirm(database, who, form.get("old", "")):
        problem = t("password.wrong")
    else:
        try:
            begin_session(accounts.choose_password(database, who, form.get("new", "")))
        except UserError as error:
            problem = error.line(language())
    if problem:
        return render_template("password.html", who=who, error=problem), 400
    return redirect(url_for("problems.index"), 303)


def somebody() -> Reader:
    """The reader; Refused with 404 where there are no accounts."""
    who = reader()
    if who is None:
        raise Refused("not-found", 404)
    return who


def begin_session(token: str) -> None:
    """A new cookie for a new login: nothing of the one before it is kept, the form token included."""
    session.clear()
    session["login"] = token


def refuse_login(error: str, status: int) -> tuple[str, int]:
    """The form again, with what went wrong."""
    return render_template("login.html", error=error), status


def wanted_page() -> str | None:
    """Where to go after the login: the page asked for."""
    if request.method != "GET" or request.path == "/":
        return None
    return request.script_root + request.full_path.rstrip("?")


def safe_page(wanted: str | None) -> str:
    """A page of this site; home for an address that could lead elsewhere."""
    ours = wanted is not None and wanted.startswith("/") and not wanted.startswith(("//", "/\\"))
    if wanted is None or not ours or not wanted.isprintable():
        return url_for("problems.index")
    return wanted
