"""The list of problems at ``/``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient


def test_it_shows_number_slug_and_title_together(client: FlaskClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    row = page.text.split("<tbody>")[1]
    for text in ("#7", "两数之和", "add-pair", "第 2 章", "简单", "未开始", 'href="/problems/add-pair"'):
        assert text in row


@pytest.mark.parametrize(
    "query",
    ["q=add", "q=%237", "q=两数", "q=sums+pair", "chapter=2", "difficulty=easy", "status=new", "q=&chapter="],
)
def test_a_fitting_filter_keeps_the_problem(client: FlaskClient, query: str) -> None:
    assert "add-pair" in client.get(f"/?{query}").text


@pytest.mark.parametrize(
    "query", ["q=nothing", "chapter=9", "difficulty=hard", "status=solved", "difficulty=<b>"]
)
def test_another_filter_says_that_nothing_fits(client: FlaskClient, query: str) -> None:
    page = client.get(f"/?{query}").text
    assert "没有符合条件的题目" in page
    assert "<b>" not in page


def test_status_follows_the_submissions(client: FlaskClient, submit: Callable[..., dict[str, Any]]) -> None:
    submit("wrong")
    assert "尝试过" in client.get("/").text.split("<tbody>")[1]
    submit("right")
    assert "已通过" in client.get("/").text.split("<tbody>")[1]


def test_it_takes_no_post(client: FlaskClient) -> None:
    with client.session_transaction() as session:
        session["csrf"] = "token"
    answer = client.post("/", data={"csrf": "token"})
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]
