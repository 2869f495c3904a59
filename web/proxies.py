"""Forwarded headers: believed from the proxies that are named, taken out where anybody else sends them."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from flask import Flask, request
from flask.sessions import SecureCookieSessionInterface
from werkzeug.middleware.proxy_fix import ProxyFix

from judge.config import Network

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

FORWARDED = ("FOR", "PROTO", "HOST", "PREFIX", "PORT")


class TrustedProxies:
    """WSGI middleware: address, scheme, host and sub-path of the reader as one trusted proxy tells them."""

    def __init__(self, app: WSGIApplication, networks: Sequence[Network]) -> None:
        self._app = app
        self._proxied = ProxyFix(app, x_for=1, x_proto=1, x_host=1, x_prefix=1)
        self._networks = networks

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if is_within(environ.get("REMOTE_ADDR", ""), self._networks):
            return self._proxied(environ, start_response)
        for name in FORWARDED:
            environ.pop(f"HTTP_X_FORWARDED_{name}", None)
        environ.pop("HTTP_FORWARDED", None)
        return self._app(environ, start_response)


class SchemeAwareSessions(SecureCookieSessionInterface):
    """Session cookies that a browser which came by https sends over https alone."""

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure


def is_within(address: str, networks: Sequence[Network]) -> bool:
    """Whether an address in numbers lies in one of some networks; an IPv4 address may come written as IPv6."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None) or found
    return any(mapped in network for network in networks)
