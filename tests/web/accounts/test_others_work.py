"""A learner sees their own work and nobody else's: not by number, not by page, not by the API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.accounts.conftest import Send, form_token
from web.limits import Pace

CLASS_PAGES = [
    "/class", "/class?q=anna", "/class/export.csv", "/class/learners/2/add-pair", "/class/problems/add-pair",
    "/class/submissions/1",
]  # fmt: skip


def read(answer: Any) -> Any:
    """The JSON of an answer."""
    return json.loads(answer.data)


def test_anothers_submission_is_not_there(anna: FlaskClient, ben: FlaskClient, send: Send) -> None:
    number = send(anna, "wrong")["id"]
    for path in (
        f"/api/submissions/{number}",
        f"/submissions/{number}/panel",
        f"/problems/add-pair?submission={number}",
    ):
        assert anna.get(path).status_code == 200
        assert ben.get(path).status_code == 404, path


def test_anothers_submission_cannot_be_retried(
    anna: FlaskClient, ben: FlaskClient, send: Send, scripted: Any
) -> None:
    number = send(anna, "fault")["id"]
    assert ben.post(f"/api/submissions/{number}/retry", json={}).status_code == 404
    form = {"csrf": form_token(ben, "/problems/add-pair")}
    assert ben.post(f"/submissions/{number}/retry", data=form).status_code == 404
    assert len(scripted.jobs) == 1
    assert anna.post(f"/api/submissions/{number}/retry", json={}).status_code in (201, 202)


def test_a_page_of_somebody_who_logged_out_cannot_write_for_the_next(
    anna: FlaskClient, ben: FlaskClient, send: Send
) -> None:
    whose = {"Judge-Reader": str(send(anna, "right")["user"])}
    draft = {"source": "anna = 1", "based_on": 0}
    path = "/api/problems/add-pair/draft"
    assert anna.put(path, json=draft, headers=whose).status_code == 200
    body = {"problem": 7, "source": "right = 1", "mode": "submit"}
    for answer in (
        ben.put(path, json=draft, headers=whose),
        ben.get(path, headers=whose),
        ben.post("/api/submissions", json=body, headers=whose),
    ):
        assert answer.status_code == 403 and read(answer)["error"]["code"] == "other-reader"
    assert read(ben.get(path))["draft"] is None
    assert read(ben.get("/api/problems/add-pair/submissions"))["submissions"] == []


def test_histories_and_lists_are_ones_own(anna: FlaskClient, ben: FlaskClient, send: Send) -> None:
    send(anna, "right")
    path = "/api/problems/add-pair/submissions"
    assert len(read(anna.get(path))["submissions"]) == 1
    assert read(ben.get(path))["submissions"] == []
    assert "还没有提交过" in ben.get("/problems/add-pair/history").text
    assert read(anna.get("/api/problems"))["problems"][0]["status"] == "solved"
    assert read(ben.get("/api/problems"))["problems"][0]["status"] == "new"
    assert "right = 1" not in ben.get("/problems/add-pair").text


@pytest.mark.parametrize("path", CLASS_PAGES)
def test_the_class_is_closed_to_learners(anna: FlaskClient, send: Send, path: str) -> None:
    send(anna, "right")
    answer = anna.get(path)
    assert answer.status_code == 403
    assert "只给教师看" in answer.text
    assert "right = 1" not in answer.text


@pytest.mark.parametrize("path", ["/class/submissions/1/rejudge", "/class/problems/add-pair/rejudge"])
def test_a_learner_rejudges_nothing(anna: FlaskClient, send: Send, scripted: Any, path: str) -> None:
    send(anna, "right")
    answer = anna.post(path, data={"csrf": form_token(anna, "/problems/add-pair")})
    assert answer.status_code == 403
    assert len(scripted.jobs) == 1


def test_a_learners_page_names_no_class(anna: FlaskClient, ines: FlaskClient) -> None:
    assert 'href="/class"' not in anna.get("/").text
    assert 'href="/class"' in ines.get("/").text


def test_a_learner_gets_the_diagnosis_and_an_instructor_everything(
    anna: FlaskClient, ines: FlaskClient, send: Send
) -> None:
    view = send(anna, "wrong")
    hidden = next(case for case in view["cases"] if case["name"] == "add-large")
    assert (hidden["detail"], view["seed"]) == ({}, None)
    assert hidden["advice"] and hidden["facts"]["field"] == "out"
    full = read(ines.get(f"/api/submissions/{view['id']}"))
    shown = next(case for case in full["cases"] if case["name"] == "add-large")
    assert shown["detail"]["got"] == "tensor([2, 4], dtype=int64)"
    assert full["seed"]


def test_an_instructors_workspace_shows_their_own_work_only(
    anna: FlaskClient, ines: FlaskClient, send: Send
) -> None:
    number = send(anna, "wrong")["id"]
    assert "wrong = 1" not in ines.get("/problems/add-pair").text
    assert ines.get(f"/problems/add-pair?submission={number}").status_code == 404


def test_one_user_is_slowed_down_alone_and_told_how_long(
    app: Flask, anna: FlaskClient, ben: FlaskClient
) -> None:
    app.extensions["submit-pace"] = Pace(1, 60)
    body = {"problem": 7, "source": "right = 1", "mode": "run"}
    assert anna.post("/api/submissions", json=body).status_code in (201, 202)
    answer = anna.post("/api/submissions", json=body)
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert answer.headers["Retry-After"] in json.loads(answer.data)["error"]["message"]
    assert ben.post("/api/submissions", json=body).status_code in (201, 202)


def test_another_learners_draft_is_their_own(anna: FlaskClient, ben: FlaskClient) -> None:
    place = "/api/problems/add-pair/draft"
    assert anna.put(place, json={"source": "annas", "based_on": 0}).status_code == 200
    assert json.loads(ben.get(place).data) == {"draft": None}
    assert "annas" not in ben.get("/problems/add-pair/compare").text
    answer = anna.post("/api/submissions", json={"problem": 7, "source": "right = 'annas'", "mode": "run"})
    number = json.loads(answer.data)["id"]
    for path in (f"/problems/add-pair/compare?left={number}&right=starter", f"/submissions/{number}/code.py"):
        assert ben.get(path).status_code == 404
        assert anna.get(path).status_code == 200


def test_who_teaches_reads_the_editorial_at_once(ines: FlaskClient, anna: FlaskClient) -> None:
    assert ines.get("/problems/add-pair/editorial").status_code == 200
    assert anna.get("/problems/add-pair/editorial").status_code == 403


def test_what_is_accepted_leads_on_for_its_author_alone(
    anna: FlaskClient, ines: FlaskClient, send: Send
) -> None:
    path = f"/submissions/{send(anna, 'right')['id']}/panel"
    assert 'data-key="ahead"' in anna.get(path).text
    shown = ines.get(path)
    assert shown.status_code == 200 and 'data-key="ahead"' not in shown.text
