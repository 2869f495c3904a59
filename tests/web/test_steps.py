"""Hints one by one, giving up, and the editorial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

PAGE = "/problems/add-pair"
Submit = Callable[..., dict[str, Any]]


def open_hint(client: FlaskClient, token: str, n: str, **headers: str) -> Any:
    return client.post(f"{PAGE}/hints", data={"csrf": token, "n": n}, headers=headers)


def test_a_hint_is_hidden_until_it_is_opened_and_stays_open(client: FlaskClient, token: str) -> None:
    assert "<summary>先想一想</summary>" not in client.get(PAGE).text
    assert "看提示 1：先想一想" in client.get(PAGE).text
    answer = open_hint(client, token, "1")
    assert (answer.status_code, answer.location) == (303, f"{PAGE}#hints")
    assert "<summary>先想一想</summary>" in client.get(PAGE).text


def test_a_script_gets_the_hints_alone(client: FlaskClient, token: str) -> None:
    piece = open_hint(client, token, "1", **{"Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin"})
    assert "<summary>先想一想</summary>" in piece.text
    assert "<html" not in piece.text


@pytest.mark.parametrize("n", ["0", "99", "-1", "", "x", "1e9", "²"])
def test_only_the_next_hint_opens(client: FlaskClient, token: str, n: str) -> None:
    assert open_hint(client, token, n).status_code == 400
    assert "<summary>" not in client.get(PAGE).text.split('id="hints"')[1].split("</section>")[0]


def test_the_editorial_is_closed_at_first(client: FlaskClient) -> None:
    answer = client.get(f"{PAGE}/editorial")
    assert answer.status_code == 403
    assert "放弃" in answer.text
    assert "return a + b" not in answer.text


def test_giving_up_needs_a_tick_and_opens_it_for_good(client: FlaskClient, token: str) -> None:
    unticked = client.post(f"{PAGE}/give-up", data={"csrf": token})
    assert unticked.status_code == 400
    assert client.get(f"{PAGE}/editorial").status_code == 403
    answer = client.post(f"{PAGE}/give-up", data={"csrf": token, "confirm": "yes"})
    assert (answer.status_code, answer.location) == (303, f"{PAGE}/editorial")
    page = client.get(answer.location).text
    assert "参考答案" in page and "你在" in page
    assert f'href="{PAGE}/editorial"' in client.get(PAGE).text


def test_solving_opens_it_too(client: FlaskClient, submit: Submit) -> None:
    submit("right", mode="run")
    assert client.get(f"{PAGE}/editorial").status_code == 403
    submit("right")
    page = client.get(f"{PAGE}/editorial")
    assert page.status_code == 200
    assert "你在" not in page.text


def test_other_right_solutions_are_there_folded_and_linked(client: FlaskClient, token: str) -> None:
    assert "sum_of_list" not in client.get(f"{PAGE}/editorial").text
    client.post(f"{PAGE}/give-up", data={"csrf": token, "confirm": "yes"})
    page = client.get(f"{PAGE}/editorial").text
    assert '<details><summary translate="no"><code>sum_of_list.py</code></summary>' in page
    assert '<div id="other-sum_of_list"><pre>' in page and '<span class="hl-nb">sum</span>' in page
    assert '<a href="#other-sum_of_list"><code>sum_of_list.py</code></a>' in page
    assert "solutions/" not in page


def test_the_form_of_another_site_gives_nothing_up(client: FlaskClient, token: str) -> None:
    answer = client.post(f"{PAGE}/give-up", data={"csrf": "x" * len(token), "confirm": "yes"})
    assert answer.status_code == 403
    assert client.get(f"{PAGE}/editorial").status_code == 403
