"""The page of one problem, and the plain form that works without a script."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from flask.testing import FlaskClient

from judge.service import Service

Submit = Callable[..., dict[str, Any]]
PAGE = "/problems/add-pair"


def code_in(page: str) -> str:
    found = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
    assert found
    return found[1]


def test_it_shows_statement_hints_limits_and_starter(client: FlaskClient) -> None:
    page = client.get(PAGE).text
    assert "<strong>注意：</strong>" in page
    assert "看提示 1：先想一想" in page
    assert "内存 256 MiB" in page
    assert "raise NotImplementedError" in code_in(page)
    assert "<title>#7 add-pair 两数之和</title>" in page


def test_the_script_gets_its_data_as_json(client: FlaskClient) -> None:
    page = client.get(PAGE).text
    boot = json.loads(page.split('id="boot">')[1].split("</script>")[0])
    assert boot["slug"] == "add-pair"
    assert boot["urls"]["submit"] == "/api/submissions"
    assert boot["words"]["status.sending"] == "正在发送"


def test_only_this_page_allows_inline_styles(client: FlaskClient) -> None:
    relaxed, strict = (client.get(path).headers["Content-Security-Policy"] for path in (PAGE, "/"))
    assert "style-src 'self' 'unsafe-inline'" in relaxed
    assert "unsafe" not in strict
    for policy in (relaxed, strict):
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy


def test_a_number_leads_to_the_slug(client: FlaskClient) -> None:
    answer = client.get("/problems/7")
    assert answer.status_code == 302
    assert answer.location == PAGE


def test_an_unknown_problem_is_a_404_that_says_where_to_go(client: FlaskClient) -> None:
    answer = client.get("/problems/no-such-thing")
    assert answer.status_code == 404
    assert "题目列表" in answer.text


def test_the_form_submits_and_leads_to_its_results(client: FlaskClient, service: Service, token: str) -> None:
    answer = client.post(PAGE, data={"csrf": token, "source": "wrong = 1\r\nx = 2", "mode": "submit"})
    assert answer.status_code == 303
    assert answer.location == f"{PAGE}?submission=1#results"
    assert service.wait(1, 10)
    page = client.get(answer.location).text
    assert "答案错误" in page
    assert code_in(page) == "wrong = 1\nx = 2"
    assert 'http-equiv="refresh"' not in page


def test_without_a_script_the_page_refreshes_until_it_is_judged(
    client: FlaskClient, scripted: Any, service: Service, token: str
) -> None:
    scripted.gate.clear()
    client.post(PAGE, data={"csrf": token, "source": "right = 1", "mode": "submit"})
    assert 'http-equiv="refresh"' in client.get(f"{PAGE}?submission=1").text
    scripted.gate.set()
    assert service.wait(1, 10)
    assert 'http-equiv="refresh"' not in client.get(f"{PAGE}?submission=1").text


def test_a_form_without_its_token_runs_nothing(client: FlaskClient, scripted: Any, token: str) -> None:
    for data in (
        {"source": "right"},
        {"source": "right", "csrf": "x" * len(token)},
        {"source": "r", "csrf": "é"},
    ):
        answer = client.post(PAGE, data=data)
        assert answer.status_code == 403
        assert "刷新" in answer.text
    assert scripted.jobs == []


def test_a_form_without_source_or_with_an_unknown_mode_is_refused(client: FlaskClient, token: str) -> None:
    assert client.post(PAGE, data={"csrf": token}).status_code == 400
    assert client.post(PAGE, data={"csrf": token, "source": "x", "mode": "grade"}).status_code == 400


def test_it_comes_back_with_the_latest_code_and_results(client: FlaskClient, submit: Submit) -> None:
    submit("wrong")
    submit("right")
    page = client.get(PAGE).text
    assert code_in(page) == "right = 1"
    assert "通过 3 / 3 个用例" in page


def test_a_submission_of_the_address_is_shown_instead(client: FlaskClient, submit: Submit) -> None:
    first = submit("wrong")
    submit("right")
    page = client.get(f"{PAGE}?submission={first['id']}").text
    assert code_in(page) == "wrong = 1"
    assert "两个大数" in page


def test_an_unknown_submission_in_the_address_is_a_404(client: FlaskClient) -> None:
    assert client.get(f"{PAGE}?submission=99").status_code == 404
    assert client.get(f"{PAGE}?submission=abc").status_code == 200


def test_learner_code_is_escaped(client: FlaskClient, service: Service, token: str) -> None:
    hostile = "right </textarea></pre><script>alert(1)</script>"
    client.post(PAGE, data={"csrf": token, "source": hostile, "mode": "run"})
    assert service.wait(1, 10)
    page = client.get(PAGE).text
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_sandbox_without_a_boundary_is_announced_on_every_page(
    client: FlaskClient, service: Service
) -> None:
    for path in ("/", PAGE):
        service.backend = "landlock"
        assert "没有隔离" not in client.get(path).text
        service.backend = "process"
        assert "没有隔离" in client.get(path).text


def test_it_says_where_one_stands(client: FlaskClient, submit: Submit) -> None:
    def mark(path: str) -> str:
        return client.get(path).text.split('id="standing"')[1].split("</p>")[0]

    assert "<span" not in mark(PAGE)
    submit("wrong")
    assert "尝试过" in mark(PAGE) and "最高 33.3 分" in mark(PAGE)
    submit("right", mode="run")
    assert "已通过" not in mark(PAGE)
    submit("right")
    for path in (PAGE, f"{PAGE}/standing"):
        assert "✓" in mark(path) and "已通过" in mark(path)


def test_the_pieces_that_a_verdict_changes_can_be_fetched(client: FlaskClient, submit: Submit) -> None:
    assert f'action="{PAGE}/give-up"' in client.get(f"{PAGE}/standing").text
    submit("right")
    piece = client.get(f"{PAGE}/standing").text
    assert f'href="{PAGE}/editorial"' in piece and "give-up" not in piece and "<html" not in piece
    assert client.get("/problems/no-such-thing/standing").status_code == 404
