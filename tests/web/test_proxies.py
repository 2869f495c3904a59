"""Forwarded headers are believed from named proxies alone; behind https cookies are Secure; a sub-path works."""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from judge.config import Config, ConfigError
from judge.service import Service
from web.app import create_app
from web.proxies import is_within

NETWORKS = (ipaddress.ip_network("127.0.0.1/32"), ipaddress.ip_network("10.1.0.0/16"))
HEADERS = {
    "X-Forwarded-For": "192.0.2.9",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "judge.school",
    "X-Forwarded-Prefix": "/judge",
}


@pytest.fixture
def behind(service: Service, config: Config) -> FlaskClient:
    """A client of the site behind a proxy on this machine."""
    return create_app(service, dataclasses.replace(config, trusted_proxies=NETWORKS)).test_client()


def cookies(answer: Any) -> list[str]:
    found: list[str] = answer.headers.getlist("Set-Cookie")
    return found


def test_a_trusted_proxy_says_how_the_reader_came(behind: FlaskClient) -> None:
    answer = behind.get("/problems/7", headers=HEADERS)
    assert answer.location == "/judge/problems/add-pair"
    page = behind.get("/problems/add-pair", headers=HEADERS)
    session = next(one for one in cookies(page) if one.startswith("judge_session"))
    assert "; Secure;" in session
    addresses = re.findall(r'(?:href|src|action)="(/[^"]*)"', page.text)
    assert addresses and all(one.startswith("/judge/") for one in addresses)
    assert '"submit": "/judge/api/submissions"' in page.text


def test_static_files_of_a_sub_path_are_there(behind: FlaskClient) -> None:
    page = behind.get("/", headers=HEADERS).text
    (sheet,) = re.findall(r'href="/judge(/static/[^"]+site\.css)"', page)
    assert behind.get(sheet, headers=HEADERS).status_code == 200


def test_anybody_else_is_not_believed(behind: FlaskClient, client: FlaskClient) -> None:
    for somebody in (client, behind):
        answer = somebody.get("/problems/7", headers=HEADERS, environ_base={"REMOTE_ADDR": "192.0.2.1"})
        assert answer.location == "/problems/add-pair"
    page = client.get("/problems/add-pair", headers=HEADERS)
    assert not any("Secure" in one for one in cookies(page))


def test_a_proxy_cannot_name_a_host_that_is_not_ours(behind: FlaskClient) -> None:
    answer = behind.get("/", headers={**HEADERS, "X-Forwarded-Host": "evil.example"})
    assert answer.status_code == 421


@pytest.mark.parametrize(
    ("address", "inside"),
    [
        ("10.1.2.3", True),
        ("::ffff:10.1.2.3", True),
        ("10.2.0.1", False),
        ("", False),
        ("x", False),
        ("::1", False),
    ],
)
def test_addresses_are_compared_as_numbers(address: str, inside: bool) -> None:
    assert is_within(address, NETWORKS) is inside


def test_a_setting_that_names_no_network_is_one_line() -> None:
    networks = Config.from_env({"JUDGE_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8 ::1"}).trusted_proxies
    assert [str(one) for one in networks] == ["127.0.0.1/32", "10.0.0.0/8", "::1/128"]
    with pytest.raises(ConfigError, match="JUDGE_TRUSTED_PROXIES=nginx"):
        Config.from_env({"JUDGE_TRUSTED_PROXIES": "nginx"})
