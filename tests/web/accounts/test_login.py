"""Logging in and out: who gets in, who is sent to the door, and how often one may knock."""

from __future__ import annotations

import json

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from judge.models import Login
from judge.service import Service
from tests.web.accounts.conftest import PASSWORD, enter, form_token
from web.limits import PER_ACCOUNT, PER_ADDRESS, WINDOW_S, Limiter


def test_a_stranger_is_sent_to_the_login_and_then_where_they_wanted(app: Flask) -> None:
    client = app.test_client()
    answer = client.get("/problems/add-pair?lang=en")
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/login?next=/problems/add-pair?lang%3Den"
    form = {"csrf": form_token(client, "/login"), "name": "anna", "password": PASSWORD}
    entered = client.post("/login", data=form | {"next": "/problems/add-pair?lang=en"})
    assert entered.headers["Location"] == "/problems/add-pair?lang=en"


@pytest.mark.parametrize(
    "path", ["/api/problems", "/api/submissions/1", "/api/problems/add-pair/submissions"]
)
def test_the_api_tells_a_stranger_in_json(app: Flask, path: str) -> None:
    answer = app.test_client().get(path)
    assert answer.status_code == 401
    assert json.loads(answer.data)["error"]["code"] == "login-needed"


def test_a_stranger_can_submit_nothing(app: Flask, scripted: object) -> None:
    body = {"problem": 7, "source": "right = 1", "mode": "submit"}
    assert app.test_client().post("/api/submissions", json=body).status_code == 401
    assert scripted.jobs == []  # type: ignore[attr-defined]


def test_only_health_needs_no_login(app: Flask) -> None:
    client = app.test_client()
    assert client.get("/healthz").status_code == 200
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and rule.endpoint not in ("auth.login", "api.health"):
            path = rule.rule.replace("<int:submission_id>", "1").replace("<int:user_id>", "1")
            answer = client.get(path.replace("<slug>", "add-pair"))
            closed = (404,) if path == "/metrics" else (303, 401)  # JUDGE_METRICS names nobody
            assert answer.status_code in closed, path


@pytest.mark.parametrize("where", ["//evil.example", "/\\evil.example", "https://evil.example", "", "x"])
def test_a_login_leads_to_no_other_site(app: Flask, where: str) -> None:
    client = app.test_client()
    form = {"csrf": form_token(client, "/login"), "name": "anna", "password": PASSWORD, "next": where}
    assert client.post("/login", data=form).headers["Location"] == "/"


@pytest.mark.parametrize(
    ("name", "password"),
    [("anna", "wrong"), ("nobody", PASSWORD), ("", ""), ("newt", PASSWORD), ("anna", "")],
)
def test_a_wrong_name_or_password_reads_the_same(app: Flask, name: str, password: str) -> None:
    client = app.test_client()
    form = {"csrf": form_token(client, "/login"), "name": name, "password": password}
    answer = client.post("/login", data=form)
    assert answer.status_code == 403
    assert "账号与密码（或登录码）不符" in answer.text
    assert client.get("/").status_code == 303


def test_small_and_capital_letters_of_a_name_are_the_same(app: Flask) -> None:
    assert enter(app, "ANNA").get("/").status_code == 200


def test_the_form_needs_its_token(app: Flask) -> None:
    client = app.test_client()
    assert client.post("/login", data={"name": "anna", "password": PASSWORD}).status_code == 403
    assert client.get("/").status_code == 303


def test_a_login_changes_cookie_and_token(app: Flask) -> None:
    client = app.test_client()
    before = form_token(client, "/login")
    answer = client.post("/login", data={"csrf": before, "name": "anna", "password": PASSWORD})
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    assert form_token(client, "/password") != before


def test_a_logout_ends_the_login_even_for_a_copy_of_the_cookie(
    app: Flask, anna: FlaskClient, service: Service
) -> None:
    cookie = anna.get_cookie("judge_session")
    assert cookie is not None
    assert anna.post("/logout", data={"csrf": form_token(anna, "/password")}).status_code == 303
    thief = app.test_client()
    thief.set_cookie("judge_session", cookie.value)
    assert thief.get("/").status_code == 303
    with service.database.read() as session:
        assert session.scalars(select(Login)).all() == []


def test_a_logout_needs_the_token_and_the_right_method(anna: FlaskClient) -> None:
    assert anna.post("/logout").status_code == 403
    assert anna.get("/logout").status_code == 405
    assert anna.get("/").status_code == 200


def test_an_account_cannot_be_guessed_at_for_long(app: Flask) -> None:
    client = app.test_client()
    form = {"csrf": form_token(client, "/login"), "name": "anna", "password": "guess"}
    tries = [client.post("/login", data=form).status_code for _ in range(PER_ACCOUNT + 1)]
    assert tries == [403] * PER_ACCOUNT + [429]
    assert client.post("/login", data=form | {"password": PASSWORD, "name": "Anna"}).status_code == 429
    assert client.post("/login", data=form | {"password": PASSWORD, "name": "ben"}).status_code == 303


def test_tries_are_forgotten_after_a_while_and_by_a_success() -> None:
    clock = [0.0]
    limiter = Limiter(lambda: clock[0])
    for _ in range(PER_ACCOUNT):
        assert limiter.begin("anna", "here") == 0
    assert 0 < limiter.begin("anna", "elsewhere") <= WINDOW_S + 1
    clock[0] = WINDOW_S + 1
    assert limiter.begin("anna", "here") == 0
    limiter.succeed("anna", "here")
    assert [limiter.begin("anna", "here") for _ in range(PER_ACCOUNT)] == [0] * PER_ACCOUNT


def test_an_address_may_try_many_accounts_but_not_all() -> None:
    limiter = Limiter(lambda: 0.0)
    tries = [limiter.begin(f"learner-{number}", "school") for number in range(PER_ADDRESS + 1)]
    assert tries[:-1] == [0] * PER_ADDRESS and tries[-1] > 0
    assert limiter.begin("learner-1", "home") == 0


def test_without_accounts_there_is_no_login(client: FlaskClient, app: Flask) -> None:
    app.config["ACCOUNTS"] = False
    assert client.get("/login").status_code == 302
    assert client.get("/password").status_code == 404
    assert client.get("/class").status_code == 404


def test_a_host_in_numbers_is_ours_and_a_foreign_name_is_not(anna: FlaskClient) -> None:
    assert anna.get("/healthz", headers={"Host": "192.168.1.7:8000"}).status_code == 200
    assert anna.get("/healthz", headers={"Host": "evil.example"}).status_code == 421
