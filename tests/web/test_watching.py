"""Figures for Prometheus, lines of log, answers without a view, and the pace of one user."""

from __future__ import annotations

import dataclasses
import ipaddress
import json
import logging
import sys
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from judge.config import Config
from judge.service import Service
from tests.web.conftest import ScriptedJudge
from web.limits import Pace
from web.watching import ACCESS, JsonLines

Submit = Callable[..., dict[str, Any]]


@pytest.fixture
def config(config: Config) -> Config:
    """The parent's, with figures for this machine."""
    return dataclasses.replace(config, metrics=(ipaddress.ip_network("127.0.0.0/8"),))


def figures(client: FlaskClient) -> dict[str, float]:
    lines = client.get("/metrics").text.splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


def test_the_figures_follow_what_happens(client: FlaskClient, submit: Submit) -> None:
    submit("wrong")
    submit("right")
    client.get("/nothing")
    found = figures(client)
    assert found['judge_verdicts{verdict="AC"}'] == found['judge_verdicts{verdict="WA"}'] == 1
    assert found['judge_judgements{status="queued"}'] == 0
    assert found['judge_http_requests_total{method="GET",status="404"}'] == 1
    assert found["judge_problems"] == 1
    buckets = [value for name, value in found.items() if "_bucket" in name]
    assert buckets == sorted(buckets) and buckets[-1] == found["judge_http_request_seconds_count"]


def test_figures_are_for_named_addresses_alone(client: FlaskClient) -> None:
    assert client.get("/metrics", environ_base={"REMOTE_ADDR": "192.0.2.1"}).status_code == 404


def test_a_method_that_nobody_knows_cannot_write_into_them(client: FlaskClient) -> None:
    client.open("/", method='X"} 1')
    assert 'X"' not in client.get("/metrics").text


def test_each_request_is_one_json_line(client: FlaskClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, ACCESS.name):
        client.get("/problems/add-pair?q=secret\nforged")
    (line,) = [JsonLines().format(record) for record in caplog.records if record.name == ACCESS.name]
    told = json.loads(line)
    assert (told["method"], told["path"], told["status"]) == ("GET", "/problems/add-pair", 200)
    assert told["ms"] > 0 and "secret" not in line and "\n" not in line


def test_an_exception_is_one_field() -> None:
    try:
        raise ValueError("x")
    except ValueError:
        record = logging.LogRecord("judge", logging.ERROR, "", 0, "failed", None, sys.exc_info())
    assert json.loads(JsonLines().format(record))["exception"].endswith("ValueError: x")


@pytest.mark.parametrize("address", ["/api/submissions/{}", "/submissions/{}/panel"])
def test_who_holds_the_latest_costs_no_view(
    client: FlaskClient, service: Service, submit: Submit, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    place = address.format(submit("wrong")["id"])
    tag = client.get(place).headers["ETag"]
    monkeypatch.setattr(service, "view", lambda *_: pytest.fail("a view was built"))
    answer = client.get(place, headers={"If-None-Match": tag})
    assert (answer.status_code, answer.data, answer.headers["ETag"]) == (304, b"", tag)
    compressed = client.get(
        place, headers={"If-None-Match": f"W/{tag}"}
    )  # as a proxy that compresses makes it
    assert compressed.status_code == 304


def test_the_version_of_what_is_not_there_is_a_404(client: FlaskClient) -> None:
    for place in ("/api/submissions/99", f"/api/submissions/{1 << 70}", "/submissions/99/panel"):
        assert client.get(place).status_code == 404


def test_a_pace_says_how_long_to_wait() -> None:
    now = [0.0]
    pace = Pace(2, 60, lambda: now[0])
    assert [pace.take(1), pace.take(1), pace.take(2)] == [0, 0, 0]
    now[0] = 10.5
    assert pace.take(1) == 50
    now[0] = 60
    assert [pace.take(1), pace.take(1), pace.take(1)] == [0, 0, 60 + 1]


@pytest.mark.parametrize("address", ["/api/submissions/{}", "/submissions/{}/panel"])
def test_who_waits_far_behind_is_told_roughly_where_and_when_to_ask_again(
    client: FlaskClient, scripted: ScriptedJudge, address: str
) -> None:
    scripted.gate.clear()
    body = {"problem": 7, "source": "right = 1", "mode": "submit"}
    sent = [json.loads(client.post("/api/submissions", json=body).data)["id"] for _ in range(40)]
    near, far = (client.get(address.format(one)) for one in (sent[4], sent[-1]))
    assert "Retry-After" not in near.headers and int(far.headers["Retry-After"]) == 4
    held = client.get(
        address.format(sent[-1]), headers={"If-None-Match": far.headers["ETag"], "Prefer": "wait=2"}
    )
    assert (held.status_code, held.headers["Retry-After"]) == (304, far.headers["Retry-After"])
    panel = client.get(f"/submissions/{sent[-1]}/panel").text
    assert "前面还有 30 多份" in panel
    scripted.gate.set()
