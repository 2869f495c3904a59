"""Choosing a password: forced after a one-time code, later by one's own wish."""

from __future__ import annotations

import json

import pytest
from flask import Flask
from flask.testing import FlaskClient

from judge.passwords import hash_code, is_code, new_code
from judge.service import Service
from judge.users import reset_user
from tests.web.accounts.conftest import CODE, PASSWORD, enter, form_token

NEW = "another horse"


def change(client: FlaskClient, **form: str) -> int:
    """Post the form; the status."""
    filled = {"csrf": form_token(client, "/password"), "old": PASSWORD, "new": NEW, "again": NEW, **form}
    return client.post("/password", data=filled).status_code


def test_a_code_lets_in_and_on_to_nothing_but_a_password(app: Flask) -> None:
    newt = enter(app, "newt", CODE)
    assert newt.get("/").headers["Location"] == "/password"
    assert newt.get("/api/problems").status_code == 403
    body = {"problem": 7, "source": "right = 1", "mode": "submit"}
    refused = newt.post("/api/submissions", json=body)
    assert (refused.status_code, json.loads(refused.data)["error"]["code"]) == (403, "password-needed")
    assert change(newt) == 303
    assert newt.get("/").status_code == 200


def test_a_code_serves_once(app: Flask) -> None:
    newt = enter(app, "newt", CODE)
    assert change(newt) == 303
    client = app.test_client()
    form = {"csrf": form_token(client, "/login"), "name": "newt", "password": CODE}
    assert client.post("/login", data=form).status_code == 403
    assert enter(app, "newt", NEW).get("/").status_code == 200


def test_a_code_is_known_however_it_is_typed() -> None:
    code = new_code()
    for typed in (code, code.lower(), code.replace("-", ""), f" {code.replace('-', ' ')} "):
        assert is_code(hash_code(code), typed)
    assert not is_code(hash_code(code), new_code())
    assert not is_code(None, "")


def test_a_change_logs_every_other_browser_out(app: Flask, anna: FlaskClient) -> None:
    other = enter(app, "anna")
    assert change(anna) == 303
    assert anna.get("/").status_code == 200
    assert other.get("/").status_code == 303


def test_a_reset_ends_password_and_logins(app: Flask, anna: FlaskClient, service: Service) -> None:
    with service.database.write() as session:
        reset_user(session, "anna", hash_code(CODE))
    assert anna.get("/").status_code == 303
    assert enter(app, "anna", CODE).get("/").headers["Location"] == "/password"


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"old": "wrong"}, "现在的密码不对"),
        ({"again": "other horse"}, "不一样"),
        ({"new": "short", "again": "short"}, "8 到 128"),
        ({"new": "x" * 129, "again": "x" * 129}, "8 到 128"),
        ({"new": "aaaaaaaaaa", "again": "aaaaaaaaaa"}, "换一个密码"),
    ],
)
def test_what_cannot_be_a_password_is_told(anna: FlaskClient, form: dict[str, str], said: str) -> None:
    filled = {"csrf": form_token(anna, "/password"), "old": PASSWORD, "new": NEW, "again": NEW, **form}
    answer = anna.post("/password", data=filled)
    assert answer.status_code == 400
    assert said in answer.text


def test_the_form_needs_its_token(app: Flask, anna: FlaskClient) -> None:
    assert anna.post("/password", data={"old": PASSWORD, "new": NEW, "again": NEW}).status_code == 403
    assert enter(app, "anna").get("/").status_code == 200
