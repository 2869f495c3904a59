"""A browser of few words, for a site that runs in a container."""

from __future__ import annotations

import json
import re
import time
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

WAIT_S = 150.0


class Browser:
    """Cookies and forms at one address."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))

    def open(self, path: str, data: bytes | None = None, kind: str = "") -> str:
        """The text of a page; HTTPError for a refusal."""
        headers = {"Content-Type": kind} if kind else {}
        with self._opener.open(Request(self._address + path, data, headers), timeout=60) as answer:
            text: str = answer.read().decode()
        return text

    def send_form(self, path: str, **fields: str) -> str:
        """Fill in the form of a page; the text of the page that comes of it."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.open(path))
        assert found, path
        return self.open(path, urlencode({"csrf": found[1], **fields}).encode())

    def submit(self, problem: str, source: str) -> dict[str, Any]:
        """Submit by the API, and the view once it is judged."""
        body = json.dumps({"problem": problem, "source": source, "mode": "submit"}).encode()
        view = json.loads(self.open("/api/submissions", body, "application/json"))
        deadline = time.monotonic() + WAIT_S
        while view["status"] != "done" and time.monotonic() < deadline:
            time.sleep(0.3)
            view = json.loads(self.open(f"/api/submissions/{view['id']}"))
        done: dict[str, Any] = view
        return done


def wait_until_up(browser: Browser) -> str:
    """What the site says of its health, once it says anything; TimeoutError."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        try:
            return browser.open("/healthz")
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.5)
    raise TimeoutError
