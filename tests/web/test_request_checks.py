"""What a page of another origin, a foreign Host or a plain form can do here: nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from web.guard import is_known_host, is_loopback

URL = "/api/submissions"
GOOD = {"problem": 7, "source": "right = 1", "mode": "submit"}


def read(answer: TestResponse) -> Any:
    """The JSON of an answer."""
    return json.loads(answer.data)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8000",
        "10.0.0.1",
        "user@localhost",
        "",
    ],
)
def test_a_foreign_host_gets_nothing(client: FlaskClient, scripted: Any, host: str) -> None:
    for answer in (
        client.get("/", headers={"Host": host}),
        client.get("/healthz", headers={"Host": host}),
        client.post(URL, json=GOOD, headers={"Host": host}),
    ):
        assert answer.status_code in (400, 421)
        assert "add-pair" not in answer.text
    assert scripted.jobs == []


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1:8000", "127.8.8.8", "[::1]:8000", "LOCALHOST", "judge.school"]
)
def test_loopback_and_configured_hosts_are_served(client: FlaskClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "::1", "127.1.2.3"])
def test_loopback_names(name: str) -> None:
    assert is_loopback(name)


@pytest.mark.parametrize("name", ["0.0.0.0", "::", "192.168.1.2", "localhost.", "evil.example", "", "127.1"])
def test_names_that_are_not_loopback(name: str) -> None:
    assert not is_loopback(name)


@pytest.mark.parametrize(
    "host", ["[::1", "localhost:port", "localhost/x", "localhost?", "local host", "a@localhost"]
)
def test_a_host_that_is_no_host_is_unknown(host: str) -> None:
    assert not is_known_host(host, frozenset())


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Origin": "http://localhost.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_page_of_another_origin_runs_nothing(
    client: FlaskClient, scripted: Any, token: str, headers: dict[str, str]
) -> None:
    form = {"csrf": token, "source": "right", "mode": "submit"}
    for answer in (
        client.post(URL, json=GOOD, headers=headers),
        client.post("/problems/add-pair", data=form, headers=headers),
    ):
        assert answer.status_code == 403
        assert "别的网站" in (read(answer)["error"]["message"] if answer.is_json else answer.text)
    assert scripted.jobs == []


@pytest.mark.parametrize("headers", [{}, {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}])
def test_our_own_pages_and_programs_are_served(client: FlaskClient, headers: dict[str, str]) -> None:
    assert client.post(URL, json=GOOD, headers=headers).status_code in (201, 202)


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", None],
)
def test_the_api_takes_json_only(client: FlaskClient, scripted: Any, kind: str | None) -> None:
    answer = client.post(URL, data=b'{"problem": 7, "source": "right"}', content_type=kind)
    assert answer.status_code == 415
    assert read(answer)["error"]["code"] == "json-only"
    assert scripted.jobs == []


def test_every_answer_carries_the_security_headers(client: FlaskClient) -> None:
    for path in ("/", "/problems/add-pair", "/api/problems", "/nothing", "/healthz"):
        headers = client.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in headers


def test_the_session_cookie_is_kept_from_scripts_and_other_sites(client: FlaskClient) -> None:
    cookie = client.get("/problems/add-pair").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_the_session_key_is_made_once_and_private(client: FlaskClient, config: Any) -> None:
    path: Path = config.data / "web.key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(path.read_bytes()) == 32
