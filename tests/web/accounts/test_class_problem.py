"""A problem's mistakes, and judging every submission to it again."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.web.accounts.conftest import Send, form_token
from tests.web.conftest import a_case

PAGE = "/class/problems/add-pair"


def plain(page: str) -> str:
    """A page's text without tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def confirmed(ines: FlaskClient) -> dict[str, str]:
    """The form of the rejudge, ticked."""
    return {"csrf": form_token(ines, PAGE), "confirm": "yes"}


def rejudge(ines: FlaskClient) -> None:
    """Press the button and wait until all is judged again."""
    answer = ines.post(f"{PAGE}/rejudge", data=confirmed(ines))
    assert answer.status_code == 303
    deadline = time.monotonic() + 20
    while "data-waiting" in ines.get(PAGE).text:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_mistakes_count_learners_not_tries(
    anna: FlaskClient, ben: FlaskClient, ines: FlaskClient, send: Send
) -> None:
    send(anna, "wrong")
    send(anna, "wrong")
    last = send(ben, "wrong")["id"]
    page = ines.get(PAGE).text
    assert re.search(rf"product [^#]{{1,60}} 2 3 第 {last} 号", plain(page))
    assert f'href="/class/submissions/{last}"' in page
    english = ines.get(f"{PAGE}?lang=en").text
    assert "That is the product" in english


def test_verdicts_count_learners_and_submissions(
    anna: FlaskClient, ben: FlaskClient, ines: FlaskClient, send: Send
) -> None:
    send(anna, "wrong")
    last_wrong = send(anna, "wrong")["id"]
    send(anna, "right")
    last_right = send(ben, "right")["id"]
    send(ines, "wrong")
    send(ben, "wrong", mode="run")
    found = re.findall(r"\b(AC|WA) (\d+) (\d+) No. (\d+)", plain(ines.get(f"{PAGE}?lang=en").text))
    assert found == [("AC", "2", "2", str(last_right)), ("WA", "1", "2", str(last_wrong))]


def test_an_instructors_own_mistakes_and_runs_do_not_count(
    ines: FlaskClient, anna: FlaskClient, send: Send
) -> None:
    send(ines, "wrong")
    send(anna, "wrong", mode="run")
    assert "还没有可以归类的错误" in ines.get(PAGE).text


def test_a_rejudge_keeps_seeds_and_shows_what_changed(
    anna: FlaskClient,
    ben: FlaskClient,
    ines: FlaskClient,
    send: Send,
    scripted: Any,
) -> None:
    changed, same = send(anna, "wrong")["id"], send(ben, "right")["id"]
    seeds = {job.submission_id: job.seed for job in scripted.jobs}
    scripted.scripts["wrong"] = [a_case(name, "AC") for name in ("add-small", "add-large", "add-many")]
    rejudge(ines)
    assert {job.submission_id: job.seed for job in scripted.jobs[2:]} == seeds
    page = plain(ines.get(PAGE).text)
    assert re.search(rf"anna 安娜 第 {changed} 号 ✗ 答案错误 WA 33\.3 ✓ 通过 AC 100", page)
    assert f"第 {same} 号" not in page.partition("重判前 重判后")[2]
    assert "判定变了的有 1 次提交，没变的有 1 次" in page
    assert "还没有可以归类的错误" in page
    seen = plain(anna.get(f"/problems/add-pair?submission={changed}").text)
    assert "按现在的用例重新评测过" in seen and "重新评测过" in plain(
        anna.get("/problems/add-pair/history").text
    )


def test_a_long_list_of_changes_is_cut_and_says_so(
    anna: FlaskClient, ines: FlaskClient, send: Send, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for word in ("wrong", "wrong", "right"):
        send(anna, word)
    scripted.scripts["wrong"] = [a_case(name, "AC") for name in ("add-small", "add-large", "add-many")]
    rejudge(ines)
    assert "只列出前" not in ines.get(PAGE).text
    monkeypatch.setattr("web.instructor.SHOWN_CHANGES", 1)
    page = plain(ines.get(PAGE).text)
    assert "判定变了的有 2 次提交，没变的有 1 次。 只列出前 1 次。" in page
    assert "第 2 号" in page and "第 1 号" not in page
    assert "2 changed, 1 stayed the same. The first 1 are shown." in plain(ines.get(f"{PAGE}?lang=en").text)


def test_a_rejudge_is_confirmed_and_says_how_much_it_judges(
    anna: FlaskClient, ines: FlaskClient, send: Send, scripted: Any
) -> None:
    assert 'type="checkbox"' not in ines.get(PAGE).text and "disabled" in ines.get(PAGE).text
    send(anna, "right")
    send(anna, "wrong")
    send(anna, "wrong", mode="run")
    page = ines.get(PAGE).text
    assert '<input type="checkbox" name="confirm" value="yes" required> 我要重判全部 2 次提交' in page
    assert "all submissions (2) judged again" in ines.get(f"{PAGE}?lang=en").text
    answer = ines.post(f"{PAGE}/rejudge", data={"csrf": form_token(ines, PAGE)})
    assert answer.status_code == 400 and len(scripted.jobs) == 3


def test_cells_keep_their_headings_where_the_head_is_hidden(
    anna: FlaskClient, ines: FlaskClient, send: Send, scripted: Any
) -> None:
    send(anna, "wrong")
    scripted.scripts["wrong"] = [a_case(name, "AC") for name in ("add-small", "add-large", "add-many")]
    counts, changes = ["人数", "提交数", "例子"], ["学生", "提交", "重判前", "重判后"]
    assert re.findall(r'data-label="(.*?)"', ines.get(PAGE).text) == [*counts, *counts]
    rejudge(ines)
    assert re.findall(r'data-label="(.*?)"', ines.get(PAGE).text) == [*counts, *changes]


def test_scores_stay_while_a_rejudge_waits(
    anna: FlaskClient, ines: FlaskClient, send: Send, scripted: Any
) -> None:
    send(anna, "wrong")
    scripted.gate.clear()
    ines.post(f"{PAGE}/rejudge", data=confirmed(ines))
    page = ines.get(PAGE).text
    assert "还有 1 次提交在重判" in page and "disabled" in page
    assert "33.3" in ines.get("/class").text


def test_a_fault_of_ours_takes_no_score_away(
    anna: FlaskClient, ines: FlaskClient, send: Send, scripted: Any
) -> None:
    send(anna, "right")
    scripted.scripts["right"] = [a_case("add-small", "SE")]
    rejudge(ines)
    assert "<b>100</b>" in ines.get("/class").text
    page = plain(ines.get(PAGE).text)
    assert "有 1 次重判因评测机故障没有成功" in page and "判定变了的有" not in page


def test_an_unknown_problem_is_a_404(ines: FlaskClient) -> None:
    assert ines.get("/class/problems/nothing-like-it").status_code == 404
    assert ines.post("/class/problems/nothing-like-it/rejudge", data=confirmed(ines)).status_code == 404


def test_rejudging_needs_the_token_and_the_right_method(
    anna: FlaskClient, ines: FlaskClient, send: Send, scripted: Any
) -> None:
    send(anna, "right")
    assert ines.post(f"{PAGE}/rejudge").status_code == 403
    assert ines.get(f"{PAGE}/rejudge").status_code == 405
    assert len(scripted.jobs) == 1
