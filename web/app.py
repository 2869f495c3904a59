"""The application factory: one Flask app over one judge service, with its checks, pages, API and static files."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask, request
from whitenoise import WhiteNoise

from judge.config import Config, ConfigError, choose_language
from judge.words import verdict_word
from web import (
    ahead,
    api,
    appearance,
    auth,
    compare,
    current,
    drafts,
    editor_help,
    errors,
    facts,
    guard,
    i18n,
    instructor,
    learners,
    markdown,
    pictures,
    problems,
    reproduce,
    results,
    scratch,
    steps,
    watching,
    workspace,
)
from web.limits import JUDGED_MOST, JUDGED_WINDOW_S, Pace
from web.proxies import SchemeAwareSessions, TrustedProxies

if TYPE_CHECKING:
    from wsgiref.headers import Headers

    from judge.service import Service

STATIC = Path(__file__).parent / "static"
BODY_LIMIT_BYTES = 1 << 20  # of a whole request; a source over 128 KiB within it is the judge's to refuse


def create_app(service: Service, config: Config, static: Path = STATIC) -> Flask:
    """The site over ``service``; reads, or makes, the key of its session cookies in the data folder."""
    app = Flask(__name__, static_folder=None)
    app.config.update(
        SECRET_KEY=secret_key(config.data),
        SESSION_COOKIE_NAME="judge_session",
        SESSION_COOKIE_SAMESITE="Lax",
        MAX_CONTENT_LENGTH=BODY_LIMIT_BYTES,
        MAX_FORM_MEMORY_SIZE=BODY_LIMIT_BYTES,
        ALLOWED_HOSTS=frozenset(host.lower() for host in (*config.allowed_hosts, config.host)),
        ACCOUNTS=config.accounts,
        JUDGE_LANG=choose_language(config),
        METRICS=config.metrics,
    )
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.extensions["judge"] = service
    app.extensions["submit-pace"] = Pace(JUDGED_MOST, JUDGED_WINDOW_S)
    app.session_interface = SchemeAwareSessions()
    watching.install(app)
    editor_help.install(app, config.editor_help)
    guard.install(app)
    errors.install(app)
    auth.install(app)
    app.after_request(i18n.remember)
    app.after_request(appearance.remember)
    for module in (
        problems,
        workspace,
        drafts,
        steps,
        compare,
        api,
        scratch,
        instructor,
        learners,
        reproduce,
    ):
        app.register_blueprint(module.bp)
    add_template_words(app)
    serve_static(app, static)
    app.wsgi_app = TrustedProxies(app.wsgi_app, config.trusted_proxies)  # type: ignore[method-assign]
    return app


def add_template_words(app: Flask) -> None:
    """What templates may call."""
    env = app.jinja_env
    env.trim_blocks = env.lstrip_blocks = True
    env.globals.update(
        t=i18n.t, language=i18n.language, language_link=i18n.link, tags=i18n.TAGS, sign=results.sign
    )
    env.globals.update(
        theme=appearance.theme,
        themes=appearance.THEMES,
        theme_link=appearance.link,
        dark_media=appearance.MEDIA,
        schemes=appearance.SCHEMES,
    )
    env.globals.update(title_of=problems.title_of, part_titles=problems.part_titles)
    env.globals["backend"] = lambda: current.service().backend
    env.globals["verdict_word"] = lambda verdict: verdict_word(verdict, i18n.language())
    env.globals["code_at"] = facts.code_at
    env.filters.update(
        inline_code=markdown.inline_code,
        points=results.points,
        seconds=results.seconds,
        moment=results.moment,
        explained=facts.explained,
        figures=pictures.figures,
        notes=facts.notes,
        pairs=facts.pairs,
        places=facts.places,
        call=facts.call,
        code_lines=facts.code_lines,
    )


def serve_static(app: Flask, static: Path) -> None:
    """Serve ``static`` under an address that holds its content's hash, to be cached for good.

    Our modules import each other by relative address, so one prefix for all is what makes every one of them fresh.
    """
    prefix = f"/static/{content_hash(static)}"
    app.jinja_env.globals["static"] = lambda name: f"{request.script_root}{prefix}/{name}"
    app.jinja_env.globals["has_vendor"] = (static / "vendor" / "bundle.json").is_file()
    app.jinja_env.globals["workspace_modules"] = ahead.modules_of(static, "workspace.js")
    app.jinja_env.globals["editor_modules"] = ahead.editor_modules(static)
    app.wsgi_app = WhiteNoise(  # type: ignore[method-assign]
        app.wsgi_app,
        root=static,
        prefix=prefix,
        allow_all_origins=False,
        immutable_file_test=lambda path, url: True,
        add_headers_function=static_headers,
    )


def static_headers(headers: Headers, _path: str, _url: str) -> None:
    """What set_headers of guard.py does for pages, as far as files need it."""
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"


def content_hash(folder: Path) -> str:
    """A short hash over the names and bytes of every file in a folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def secret_key(data: Path) -> bytes:
    """The key of the session cookies: made once, readable by this user alone. ConfigError where it cannot be kept."""
    path = data / "web.key"
    try:
        data.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            part = path.with_name(f"web.key.{os.getpid()}")
            part.touch(mode=0o600)
            part.write_bytes(secrets.token_bytes(32))
            part.rename(path)
        return path.read_bytes()
    except OSError as error:
        raise ConfigError("data-folder", path=data, why=error.strerror or error) from error
