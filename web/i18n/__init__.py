"""The site's own words in Chinese and English, and the choice of language for one request."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

from flask import Response, current_app, g, request

LANGUAGES = ("zh", "en")
TAGS = {"zh": "zh-CN", "en": "en"}
COOKIE = "judge_lang"
YEAR_S = 365 * 24 * 3600


@cache
def strings(lang: str) -> dict[str, str]:
    """Every string of one language by key."""
    found: dict[str, str] = json.loads((Path(__file__).parent / f"{lang}.json").read_text("utf-8"))
    return found


def translate(lang: str, key: str, **values: object) -> str:
    """The string of a key with its ``{names}`` filled in; an unknown key is a KeyError, never shown."""
    text = strings(lang)[key]
    # without values its placeholders stay, for a script to fill in
    return text.format_map(values) if values else text.replace("{{", "{").replace("}}", "}")


def t(key: str, **values: object) -> str:
    """`translate` into the reader's language."""
    return translate(language(), key, **values)


def language() -> str:
    """The reader's language: the link just followed, else the cookie, Accept-Language, the configured one."""
    if "lang" not in g:
        wanted = (request.args.get("lang"), request.cookies.get(COOKIE))
        accepted = next(
            (one for tag in request.accept_languages.values() if (one := tag[:2].lower()) in LANGUAGES), None
        )
        default = current_app.config["JUDGE_LANG"]
        g.lang = next((one for one in (*wanted, accepted) if one in LANGUAGES), default)
    chosen: str = g.lang
    return chosen


def link(lang: str) -> str:
    """The address of this very page in another language."""
    return "?" + urlencode(
        [*((k, v) for k, v in request.args.items(multi=True) if k not in ("lang", "theme")), ("lang", lang)]
    )


def remember(response: Response) -> Response:
    """Keep the language of a ``?lang=`` link in a cookie, and say on what the answer depends."""
    if request.args.get("lang") in LANGUAGES:
        response.set_cookie(COOKIE, language(), max_age=YEAR_S, httponly=True, samesite="Lax")
    response.headers["Content-Language"] = TAGS[language()]
    response.vary.update(("Accept-Language", "Cookie"))
    return response
