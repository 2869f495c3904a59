"""What a request must be before a view sees it, in every mode, and the headers that every answer carries.

A page of another origin must not be able to run code here: the Host has to be ours (no DNS rebinding), an unsafe
method has to come from our own origin, the API takes JSON only (a form cannot send it), and forms carry a token.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Collection
from urllib.parse import urlsplit

from flask import Flask, Response, current_app, request, session

from web.errors import Refused

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES = frozenset({"same-origin", "none"})
STRICT = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
# Monaco colours code by style attributes and elements and knows no nonce, so its page alone allows them.
WITH_EDITOR = f"{STRICT}; style-src 'self' 'unsafe-inline'"


def install(app: Flask) -> None:
    """Check every request of ``app`` first, and set the security headers of every answer last."""
    app.before_request(check_request)
    app.after_request(set_headers)
    app.jinja_env.globals["csrf_token"] = csrf_token


def check_request() -> None:
    """Raise Refused where the Host is foreign, or an unsafe request does not come from our own pages."""
    config = current_app.config
    if not is_known_host(request.host, config["ALLOWED_HOSTS"], addresses=config["ACCOUNTS"]):
        raise Refused("foreign-host", 421)
    if request.method in SAFE_METHODS:
        return
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc.lower() != request.host.lower():
        raise Refused("foreign-origin", 403)
    if request.headers.get("Sec-Fetch-Site", "none") not in OWN_SITES:
        raise Refused("foreign-origin", 403)
    if request.path.startswith("/api/"):
        if request.mimetype != "application/json":
            raise Refused("json-only", 415)
    elif not has_token():
        raise Refused("stale-form", 403)


def csrf_token() -> str:
    """The token of this browser's forms, kept in its signed session cookie."""
    if "csrf" not in session:
        session["csrf"] = secrets.token_urlsafe(24)
    token: str = session["csrf"]
    return token


def has_token() -> bool:
    """Whether the form of this request carries the token of its session."""
    kept = session.get("csrf")
    return isinstance(kept, str) and hmac.compare_digest(kept.encode(), request.form.get("csrf", "").encode())


def is_known_host(host: str, allowed: Collection[str], addresses: bool = False) -> bool:
    """Whether a Host header (with or without a port) names this machine's loopback or a configured host.

    ``addresses``: or any address in numbers. Rebinding needs a name, so these are ours whatever the network calls us.
    """
    name = (urlsplit(f"//{host}").hostname or "") if is_plain(host) else ""
    return is_loopback(name) or name in allowed or host.lower() in allowed or (addresses and is_address(name))


def is_plain(host: str) -> bool:
    """Whether a Host header holds nothing that urlsplit would read as a user, a path or worse."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return False
    return parts.netloc == host and "@" not in host


def is_address(name: str) -> bool:
    """Whether a host (without port or brackets) is an address in numbers and no name."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(name: str) -> bool:
    """Whether a host name or address (without port or brackets) is this machine and no other."""
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def set_headers(response: Response) -> Response:
    """The security headers, and no caching of anything but static files."""
    response.headers.setdefault("Content-Security-Policy", STRICT)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store")
    return response
