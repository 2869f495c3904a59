"""The list of problems at ``/``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from judge.service import Service


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


def test_a_chapter_has_a_page_with_its_problems_and_the_next_one(client: FlaskClient) -> None:
    page = client.get("/chapters/2").text
    assert "<h1>第 2 章</h1>" in page
    assert 'href="/problems/add-pair"' in page.split("<tbody>")[1]
    assert "下一道" in page


def test_a_chapter_without_problems_is_a_404(client: FlaskClient) -> None:
    assert client.get("/chapters/9").status_code == 404
    assert client.get("/chapters/x").status_code == 404


def test_it_says_what_to_do_next(client: FlaskClient, submit: Callable[..., dict[str, Any]]) -> None:
    assert "下一道" in client.get("/").text
    submit("wrong")
    assert "接着做" in client.get("/").text
    assert "最高 33.3 分" in client.get("/").text
    submit("right")
    assert 'class="up-next"' not in client.get("/").text


def test_tags_lead_to_the_problems_that_have_them(client: FlaskClient) -> None:
    row = client.get("/").text.split("<tbody>")[1]
    assert 'href="/?tag=sums"' in row
    assert "add-pair" in client.get("/?tag=sums").text.split('role="search"')[1].split("<tbody>")[1]
    assert "没有符合条件的题目" in client.get("/?tag=other").text


def test_a_broken_book_file_only_costs_the_titles(
    client: FlaskClient, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "book.toml").write_text("[chapters")
    service.catalogue.roots = (*service.catalogue.roots, tmp_path)
    assert client.get("/").status_code == 200
    assert client.get("/chapters/2").status_code == 200


def test_it_says_what_the_site_is_and_how_problems_are_numbered(client: FlaskClient) -> None:
    page = client.get("/").text
    assert page.index("《手写 mini-sglang》一书的配套练习") < page.index('role="search"')
    assert "501 起" in page
    english = client.get("/", headers={"Accept-Language": "en"}).text
    assert (
        "Exercises for the Chinese book on writing mini-sglang by hand" in english
        and "keep the book&#39;s numbers" in english
    )
    assert "配套练习" not in client.get("/?q=add").text
