"""The JSON API: what it answers, and how it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from judge.service import QueueFull, Service
from web import current

Submit = Callable[..., dict[str, Any]]
URL = "/api/submissions"
GOOD = {"problem": 7, "source": "right = 1", "mode": "submit"}


def read(answer: TestResponse) -> Any:
    """The JSON of an answer."""
    return json.loads(answer.data)


def test_a_submission_that_is_waited_for_comes_back_judged(client: FlaskClient) -> None:
    answer = client.post(URL, json=GOOD, headers={"Prefer": "wait=2"})
    assert answer.status_code == 201
    assert read(answer)["verdict"] == "AC"
    assert read(answer)["score"] == 100
    assert answer.headers["Location"] == "/api/submissions/1"
    assert answer.headers["Preference-Applied"] == "wait=2"
    assert answer.headers["Cache-Control"] == "no-store"


def test_without_waiting_it_is_accepted_and_can_be_followed(client: FlaskClient, scripted: Any) -> None:
    scripted.gate.clear()
    answer = client.post(URL, json=GOOD)
    assert answer.status_code == 202
    assert read(answer)["status"] in ("queued", "running")
    assert read(client.get(answer.headers["Location"]))["id"] == read(answer)["id"]


def test_when_too_many_wait_it_answers_at_once(
    client: FlaskClient, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted.gate.clear()
    for _ in range(current.THREADS // 2):
        assert current._waiting.acquire(blocking=False)
    try:
        assert client.post(URL, json=GOOD, headers={"Prefer": "wait=2"}).status_code == 202
    finally:
        current._waiting.release(current.THREADS // 2)


@pytest.mark.parametrize("problem", [7, "7", "#7", "add-pair"])
def test_a_problem_is_named_by_number_or_slug(client: FlaskClient, problem: int | str) -> None:
    assert client.post(URL, json=GOOD | {"problem": problem}).status_code in (201, 202)


def test_run_judges_the_examples_only(submit: Submit) -> None:
    assert [case["name"] for case in submit("right", mode="run")["cases"]] == ["add-small"]


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"problem": "nothing-like-it"}, 404, "unknown-problem"),
        ({"problem": None}, 400, "bad-field"),
        ({"problem": True}, 400, "bad-field"),
        ({"problem": 7.0}, 400, "bad-field"),
        ({"source": None}, 400, "bad-field"),
        ({"source": ["x"]}, 400, "bad-field"),
        ({"mode": "grade"}, 400, "bad-field"),
        ({"mode": {}}, 400, "bad-field"),
    ],
)
def test_a_bad_field_is_refused_by_name(
    client: FlaskClient, scripted: Any, change: dict[str, Any], status: int, code: str
) -> None:
    answer = client.post(URL, json=GOOD | change)
    assert answer.status_code == status
    assert read(answer)["error"]["code"] == code
    assert code != "bad-field" or next(iter(change)) in read(answer)["error"]["message"]
    assert scripted.jobs == []


@pytest.mark.parametrize(
    "body", ["", "{", "[]", "7", "null", "[" * 100_000, '{"problem": ' + "9" * 5000 + "}", "\xff"]
)
def test_a_body_that_is_no_json_object_is_refused(client: FlaskClient, body: str) -> None:
    answer = client.post(URL, data=body.encode("latin-1"), content_type="application/json")
    assert answer.status_code == 400
    assert read(answer)["error"]["code"] == "bad-json"
    assert "{{" not in read(answer)["error"]["message"]
    assert "problem" in read(answer)["error"]["message"]


def test_a_source_over_the_limit_is_left_to_the_judge(client: FlaskClient) -> None:
    assert client.post(URL, json=GOOD | {"source": "#" * (200 << 10)}).status_code in (201, 202)


def test_a_body_over_a_mebibyte_is_refused_clearly(client: FlaskClient, scripted: Any) -> None:
    answer = client.post(URL, json=GOOD | {"source": "#" * (1 << 20)})
    assert answer.status_code == 413
    assert "128 KiB" in read(answer)["error"]["message"]
    assert scripted.jobs == []


def test_a_lone_surrogate_reaches_the_judge_as_bytes(client: FlaskClient, scripted: Any) -> None:
    body = json.dumps(GOOD | {"source": "right \ud800"})
    answer = client.post(URL, data=body, content_type="application/json", headers={"Prefer": "wait=2"})
    assert answer.status_code == 201
    assert b"\xed\xa0\x80" in scripted.jobs[0].source


def test_a_known_view_is_a_304(client: FlaskClient, submit: Submit) -> None:
    path = f"{URL}/{submit('right')['id']}"
    first = client.get(path)
    assert client.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_an_unknown_submission_is_a_json_404(client: FlaskClient) -> None:
    answer = client.get(f"{URL}/99")
    assert answer.status_code == 404
    assert read(answer)["error"]["code"] == "not-found"


def test_wrong_methods_are_refused_in_json(client: FlaskClient) -> None:
    for answer in (
        client.get(URL),
        client.delete(f"{URL}/1", json={}),
        client.post("/api/problems", json={}),
    ):
        assert answer.status_code == 405
        assert read(answer)["error"]["code"] == "wrong-method"


def test_errors_are_in_the_readers_language(client: FlaskClient) -> None:
    english = client.get(f"{URL}/99", headers={"Accept-Language": "en-GB,en;q=0.9"})
    assert "There is no such page" in read(english)["error"]["message"]
    assert english.headers["Content-Language"] == "en"


def test_problems_are_listed_with_what_was_achieved(client: FlaskClient, submit: Submit) -> None:
    submit("right")
    (problem,) = read(client.get("/api/problems"))["problems"]
    assert problem["number"] == 7
    assert problem["slug"] == "add-pair"
    assert problem["title"] == "两数之和"
    assert problem["status"] == "solved"
    assert problem["url"] == "/problems/add-pair"


def test_submissions_of_a_problem_are_newest_first_without_source(
    client: FlaskClient, submit: Submit
) -> None:
    submit("wrong")
    submit("right")
    found = read(client.get("/api/problems/add-pair/submissions"))["submissions"]
    assert [one["verdict"] for one in found] == ["AC", "WA"]
    assert all("source" not in one and "cases" not in one for one in found)


def test_a_fault_of_ours_is_judged_again(client: FlaskClient, submit: Submit, scripted: Any) -> None:
    view = submit("fault")
    assert view["verdict"] == "SE"
    answer = client.post(f"{URL}/{view['id']}/retry", json={}, headers={"Prefer": "wait=2"})
    assert answer.status_code in (201, 202)
    assert read(answer)["id"] == view["id"]
    assert len(scripted.jobs) == 2


def test_any_other_verdict_is_not_judged_again(client: FlaskClient, submit: Submit) -> None:
    view = submit("wrong")
    answer = client.post(f"{URL}/{view['id']}/retry", json={})
    assert answer.status_code == 409
    assert "SE" in read(answer)["error"]["message"]


def test_a_fault_can_be_judged_again_by_a_form(client: FlaskClient, submit: Submit, token: str) -> None:
    view = submit("fault")
    assert "重新评测" in client.get(f"/submissions/{view['id']}/panel").text
    answer = client.post(f"/submissions/{view['id']}/retry", data={"csrf": token})
    assert answer.status_code == 303
    assert client.post(f"/submissions/{view['id']}/retry").status_code == 403


def test_health_counts_the_problems(client: FlaskClient) -> None:
    assert read(client.get("/healthz")) == {"status": "ok", "problems": 1}


def test_a_full_queue_is_a_503_that_says_when_to_come_back(
    client: FlaskClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> int:
        raise QueueFull("queue-full", waiting=500)

    monkeypatch.setattr(service, "submit", full)
    answer = client.post(URL, json=GOOD)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "500" in read(answer)["error"]["message"]
