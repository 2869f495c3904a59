"""The theme of every page: light, dark, or as the system has it. Kept in a cookie, so that no page flashes in another."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Response, g, request

from web.i18n import YEAR_S

THEMES = ("system", "light", "dark")
COOKIE = "judge_theme"
MEDIA = {"system": "(prefers-color-scheme: dark)", "light": "not all", "dark": "all"}
"""When the style sheet of dark colours applies."""
SCHEMES = {"system": "light dark", "light": "light", "dark": "dark"}


def theme() -> str:
    """The reader's theme: the link just followed, else the cookie, else the system's."""
    if "theme" not in g:
        wanted = (request.args.get("theme"), request.cookies.get(COOKIE))
        g.theme = next((one for one in wanted if one in THEMES), "system")
    chosen: str = g.theme
    return chosen


def link(name: str) -> str:
    """The address of this very page in another theme."""
    kept = [(key, value) for key, value in request.args.items(multi=True) if key not in ("theme", "lang")]
    return "?" + urlencode([*kept, ("theme", name)])


def remember(response: Response) -> Response:
    """Keep the theme of a ``?theme=`` link; the page's script, which switches without a request, writes it too."""
    if request.args.get("theme") in THEMES:
        response.set_cookie(COOKIE, theme(), max_age=YEAR_S, samesite="Lax")
    return response
