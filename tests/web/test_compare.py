"""The difference between attempts, draft, starter and solution."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from web.compare import difference

PAGE = "/problems/add-pair/compare"
Submit = Callable[..., dict[str, Any]]


def kinds(old: str, new: str) -> list[str]:
    return [f"{line.kind}:{line.text}" for line in difference(old, new)]


def test_changed_lines_stand_with_their_numbers_and_a_few_lines_around() -> None:
    old = "\n".join(f"line {n}" for n in range(1, 31))
    lines = difference(old, old.replace("line 15", "LINE 15"))
    assert [line.kind for line in lines] == ["gap", *["same"] * 4, "old", "new", *["same"] * 4, "gap"]
    assert [(line.old, line.new) for line in lines if line.kind in ("old", "new")] == [(15, None), (None, 15)]


def test_equal_sources_have_no_difference() -> None:
    assert difference("a\nb\n", "a\nb") == []
    assert difference("", "") == []


def test_an_empty_side_is_all_new() -> None:
    assert kinds("", "a\nb") == ["new:a", "new:b"]


def test_sources_made_to_be_slow_count_as_changed_from_end_to_end() -> None:
    many = [f"x{n % 50}" for n in range(5000)]
    began = time.process_time()
    lines = difference("\n".join(many), "\n".join(reversed(many)))
    assert len(lines) == 10_000 and {line.kind for line in lines} == {"old", "new"}
    counted = time.process_time() - began
    assert counted < 100 * max(0.001, timed_once(many))


def timed_once(lines: list[str]) -> float:
    """CPU seconds that it takes here to go through as many lines, for a bound without absolute times."""
    began = time.process_time()
    for _ in range(20):
        sorted("\n".join(lines).splitlines())
    return time.process_time() - began


def test_the_page_compares_any_two(client: FlaskClient, submit: Submit) -> None:
    first, second = submit("wrong"), submit("right")
    page = client.get(f"{PAGE}?left={first['id']}&right={second['id']}").text
    assert '<tr class="old">' in page and "wrong = 1" in page
    assert '<tr class="new">' in page and "right = 1" in page
    assert "raise NotImplementedError" in client.get(f"{PAGE}?left=starter&right={first['id']}").text


def test_without_a_choice_it_is_starter_against_the_newest(client: FlaskClient, submit: Submit) -> None:
    submit("wrong")
    page = client.get(PAGE).text
    assert '<option value="starter" selected>' in page
    assert '<option value="1" selected>' in page
    client.put("/api/problems/add-pair/draft", json={"source": "drafted", "based_on": 0})
    assert '<option value="draft" selected>' in client.get(PAGE).text


def test_the_solution_can_be_chosen_only_once_it_may_be_seen(client: FlaskClient, submit: Submit) -> None:
    submit("wrong")
    assert client.get(f"{PAGE}?left=1&right=solution").status_code == 404
    assert 'value="solution"' not in client.get(PAGE).text
    submit("right")
    page = client.get(f"{PAGE}?left=1&right=solution")
    assert page.status_code == 200 and 'value="solution" selected' in page.text


def selected(page: str) -> list[str]:
    """The keys chosen on the left and on the right."""
    return re.findall(r'<option value="([^"]+)" selected>', page)


def test_the_editorial_compares_the_solution_with_the_latest_accepted_attempt(
    client: FlaskClient, submit: Submit
) -> None:
    for word in ("right", "right", "wrong"):
        submit(word)
    submit("right", mode="run")
    client.put("/api/problems/add-pair/draft", json={"source": "drafted", "based_on": 0})
    link = re.search(r'href="([^"]+/compare[^"]+)"', client.get("/problems/add-pair/editorial").text)
    assert link
    assert selected(client.get(html.unescape(link[1])).text) == ["2", "solution"]


def test_without_an_accepted_attempt_it_is_the_draft_then_the_latest_then_the_starter(
    client: FlaskClient, submit: Submit, token: str
) -> None:
    client.post("/problems/add-pair/give-up", data={"csrf": token, "confirm": "yes"})
    mine = f"{PAGE}?left=mine&right=solution"
    assert selected(client.get(mine).text) == ["starter", "solution"]
    submit("wrong")
    assert selected(client.get(mine).text) == ["1", "solution"]
    client.put("/api/problems/add-pair/draft", json={"source": "drafted", "based_on": 0})
    assert selected(client.get(mine).text) == ["draft", "solution"]
    assert client.get(f"{PAGE}?right=mine").status_code == 404


@pytest.mark.parametrize("query", ["left=99", "right=nothing", "left=-1", "left=" + "9" * 30, "right=1/../2"])
def test_what_there_is_not_is_a_404(client: FlaskClient, submit: Submit, query: str) -> None:
    submit("wrong")
    assert client.get(f"{PAGE}?{query}").status_code == 404


def test_code_is_escaped(client: FlaskClient) -> None:
    body = {"old": "<script>alert(1)</script>", "new": "</code><img src=x>"}
    piece = client.post("/api/difference", json=body).text
    assert "<script>" not in piece and "<img" not in piece
    assert "&lt;script&gt;" in piece
