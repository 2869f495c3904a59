"""A learner's page: a new code is shown once and only to who teaches, a suspended account opens nothing."""

from __future__ import annotations

import logging
import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from judge.models import User
from judge.passwords import is_code
from judge.service import Service
from judge.users import get_user
from tests.web.accounts.conftest import PASSWORD, Send, enter, form_token
from tests.web.accounts.test_class_matrix import row_of


def stored(service: Service, name: str) -> User:
    with service.database.read() as session:
        return get_user(session, name)


def act(teacher: FlaskClient, service: Service, name: str, what: str) -> str:
    """The page after ``what`` (reset, suspend) was pressed on somebody's page."""
    page = f"/class/accounts/{stored(service, name).id}"
    answer = teacher.post(f"{page}/{what}", data={"csrf": form_token(teacher, page)})
    if what == "reset":
        assert answer.status_code == 200, answer.text
        return answer.text
    assert (answer.status_code, answer.headers["Location"]) == (303, page)
    return teacher.get(page).text


def knock(app: Flask, name: str, secret: str) -> int:
    """The status of a login."""
    client = app.test_client()
    form = {"csrf": form_token(client, "/login"), "name": name, "password": secret}
    return client.post("/login", data=form).status_code


def test_the_matrix_leads_to_it_and_it_leads_to_the_work(
    anna: FlaskClient, ines: FlaskClient, send: Send
) -> None:
    send(anna, "wrong")
    link = re.search(r'href="(/class/accounts/\d+)"><span translate="no">anna<', ines.get("/class").text)
    assert link
    page = ines.get(link[1]).text
    assert "安娜" in page and "33.3" in page and "已设密码" in page
    assert f'href="{link[1].replace("accounts", "learners")}/add-pair"' in page
    assert "Has chosen a password" in ines.get(f"{link[1]}?lang=en").text


def test_a_new_code_is_shown_once_and_ends_what_was(
    app: Flask, anna: FlaskClient, ines: FlaskClient, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):  # as set_up_logs has it
        page = act(ines, service, "anna", "reset")
    (code,) = re.findall(r'<code class="one-time" translate="no">([^<]+)</code>', page)
    assert is_code(stored(service, "anna").code_hash, code)
    own = f"/class/accounts/{stored(service, 'anna').id}"
    assert code not in ines.get(own).text
    assert ines.get(f"{own}/reset?lang=en").headers["Location"] == own
    assert code not in caplog.text and "account of anna reset by ines" in caplog.text
    assert anna.get("/").status_code == 303  # logged out
    assert knock(app, "anna", PASSWORD) == 403
    assert enter(app, "anna", code).get("/password").status_code == 200


def test_a_suspended_account_opens_nothing_until_the_next_reset(
    app: Flask, anna: FlaskClient, ines: FlaskClient, service: Service, send: Send
) -> None:
    send(anna, "right")
    page = act(ines, service, "anna", "suspend")
    assert "停用" in page and "/suspend" not in page
    assert anna.get("/").status_code == 303
    assert knock(app, "anna", PASSWORD) == 403
    assert "100 ✓" in row_of(ines.get("/class").text, "anna")  # the work stays
    assert 'class="one-time"' in act(ines, service, "anna", "reset")
    assert stored(service, "anna").code_hash is not None


@pytest.mark.parametrize("what", ["reset", "suspend"])
def test_only_who_teaches_and_only_with_the_token(
    anna: FlaskClient, ines: FlaskClient, service: Service, what: str
) -> None:
    before = stored(service, "ben").password_hash
    page = f"/class/accounts/{stored(service, 'ben').id}"
    assert anna.get(page).status_code == 403
    form = {"csrf": form_token(anna, "/password")}
    assert anna.post(f"{page}/{what}", data=form).status_code == 403
    assert ines.post(f"{page}/{what}", data={"csrf": "x"}).status_code == 403
    assert stored(service, "ben").password_hash == before is not None


def test_who_teaches_has_no_such_page(ines: FlaskClient, service: Service) -> None:
    own = stored(service, "ines")
    for number in (own.id, 0, 999, 1 << 40):
        page = f"/class/accounts/{number}"
        assert ines.get(page).status_code == 404
        form = {"csrf": form_token(ines, "/password")}
        assert ines.post(f"{page}/reset", data=form).status_code == 404
    assert stored(service, "ines").password_hash == own.password_hash
