"""A learner's work at a problem, as the instructor reads it, and one submission judged again."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from judge.service import Service
from tests.web.accounts.conftest import Send, form_token
from tests.web.conftest import RAISED_DETAIL, RAISED_FACTS, a_case
from web import instructor


def page_of(ines: FlaskClient, view: dict[str, Any]) -> str:
    """Where a submission is shown."""
    answer = ines.get(f"/class/submissions/{view['id']}")
    assert answer.status_code == 303
    return ines.get(answer.headers["Location"]).text


def test_code_report_and_history_are_shown_whole(anna: FlaskClient, ines: FlaskClient, send: Send) -> None:
    first, _ = send(anna, "wrong"), send(anna, "right")
    page = page_of(ines, first)
    for text in (
        "安娜",
        '<span id="L1">wrong = 1',
        "tensor([2, 4], dtype=int64)",
        "你算的是积",
        "种子",
        'aria-current="page"',
    ):
        assert text in page
    assert page.count("submission=") >= 2


def test_learners_text_is_escaped(anna: FlaskClient, ines: FlaskClient, send: Send) -> None:
    page = page_of(ines, send(anna, "wrong <script>alert(1)</script>"))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_no_script_means_no_dead_buttons(anna: FlaskClient, ines: FlaskClient, send: Send) -> None:
    assert "data-line" not in page_of(ines, send(anna, "wrong"))


def test_the_list_names_each_submission_and_marks_the_best(
    anna: FlaskClient, ines: FlaskClient, send: Send
) -> None:
    first, best, last = send(anna, "wrong"), send(anna, "right"), send(anna, "right")
    rows = page_of(ines, first).split('<ol class="past">')[1].split("</ol>")[0].split("<li")[1:]
    assert [f"第 {one['id']} 号" in row for one, row in zip((last, best, first), rows, strict=True)] == [
        True
    ] * 3
    assert ["最高 100 分" in row for row in rows] == [False, True, False]


def test_a_best_score_waits_for_no_rejudge(
    anna: FlaskClient, ines: FlaskClient, send: Send, service: Service, scripted: Any
) -> None:
    view = send(anna, "right")
    scripted.scripts["right"] = []
    scripted.gate.clear()
    service.rejudge(view["id"])
    assert "最高 100 分" in page_of(ines, view)


def test_only_the_latest_are_listed_and_the_count_says_so(
    anna: FlaskClient, ines: FlaskClient, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instructor, "WORK_LENGTH", 2)
    best, _, last = send(anna, "right"), send(anna, "wrong"), send(anna, "wrong")
    page = page_of(ines, last)
    assert "共 3 次，列出最近 2 次" in page
    assert f'submission={best["id"]}">最高分：第 {best["id"]} 号' in page


def test_a_line_of_an_error_leads_to_the_line(
    anna: FlaskClient, ines: FlaskClient, send: Send, scripted: Any
) -> None:
    scripted.scripts["raises"] = [a_case("add-small", "RE", facts=RAISED_FACTS, detail=RAISED_DETAIL)]
    page = page_of(ines, send(anna, "raises = 1\nraise ValueError\r\n\nlast"))
    assert '<a class="goto" href="#L2">第 2 行，add</a>' in page
    assert (
        '<span id="L2">raise ValueError\n</span><span id="L3">\n</span><span id="L4">last = 1\n</span></pre>'
        in page
    )


def test_the_file_is_offered(anna: FlaskClient, ines: FlaskClient, send: Send) -> None:
    view = send(anna, "right")
    path = f"/submissions/{view['id']}/code.py"
    assert f'href="{path}" download' in page_of(ines, view)
    answer = ines.get(path)
    assert (answer.text, answer.mimetype) == ("right = 1", "text/x-python")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="7-add-pair-{view["id"]}.py"'


def test_a_rejudge_adds_a_judgement_with_the_same_seed(
    anna: FlaskClient,
    ines: FlaskClient,
    send: Send,
    service: Service,
    scripted: Any,
) -> None:
    view = send(anna, "wrong")
    scripted.scripts["wrong"] = [a_case("add-small", "AC")]
    token = {"csrf": form_token(ines, "/password")}
    answer = ines.post(f"/class/submissions/{view['id']}/rejudge", data=token)
    assert answer.status_code == 303
    assert service.wait(view["id"], 20)
    assert scripted.jobs[0].seed == scripted.jobs[1].seed
    page = ines.get(answer.headers["Location"]).text
    table = page[page.index("判定记录") : page.index("代码</h3>")]
    assert table.index("通过</span>") < table.index("答案错误") < table.index("33.3")


def rejudged(ines: FlaskClient, service: Service, view: dict[str, Any]) -> tuple[str, list[str]]:
    """The page's address after a rejudge, and the links of its judgements, newest first."""
    service.rejudge(view["id"])
    assert service.wait(view["id"], 20)
    place = f"/class/learners/{view['user']}/add-pair?submission={view['id']}"
    table = ines.get(place).text.split('<table class="history judgements">')[1].split("</table>")[0]
    return place, [
        html.unescape(link).removesuffix("#results") for link in re.findall(r'href="([^"]+)"', table)
    ]


def test_an_earlier_judgement_can_be_opened(
    anna: FlaskClient, ines: FlaskClient, send: Send, service: Service, scripted: Any
) -> None:
    view = send(anna, "wrong")
    scripted.scripts["wrong"] = [a_case("add-small", "AC")]
    place, (newest, earlier) = rejudged(ines, service, view)
    assert newest == place
    now, before = ines.get(newest).text, ines.get(earlier).text
    assert "现在不以它为准" not in now and "得分 100" in now and "你算的是积" not in now
    assert "现在不以它为准" in before and "得分 33.3" in before and "你算的是积" in before
    assert f'href="{html.escape(place)}#results">看作准的判定</a>' in before
    assert "重判</button>" in now and "重判</button>" not in before


def test_a_rejudge_that_failed_is_listed_and_does_not_count(
    anna: FlaskClient, ines: FlaskClient, send: Send, service: Service, scripted: Any
) -> None:
    view = send(anna, "right")
    scripted.scripts["right"] = [a_case("add-small", "SE")]
    place, (failed, counting) = rejudged(ines, service, view)
    assert counting == place and "得分 100" in ines.get(counting).text
    page = ines.get(failed).text
    assert "现在不以它为准" in page and 'data-verdict="SE"' in page
    mine = anna.get(f"/problems/add-pair?submission={view['id']}").text
    assert 'data-verdict="AC"' in mine and 'data-verdict="SE"' not in mine


def test_who_teaches_reads_what_went_wrong_in_the_cases_and_a_learner_does_not(
    anna: FlaskClient, ines: FlaskClient, send: Send, scripted: Any
) -> None:
    scripted.scripts["right"], scripted.faults = (
        [a_case("add-small", "SE")],
        ["tests/test_hidden.py:12: TypeError"],
    )
    view = send(anna, "right")
    told = "给教师和出题人：哪里出了故障"
    page = page_of(ines, view)
    assert told in page and "test_hidden.py:12: TypeError" in page
    mine = anna.get(f"/problems/add-pair?submission={view['id']}").text
    assert told not in mine and "test_hidden" not in mine and "请告诉教师" in mine
    assert "test_hidden" not in anna.get(f"/api/submissions/{view['id']}").text


def test_an_earlier_fault_offers_no_retry(
    anna: FlaskClient, ines: FlaskClient, send: Send, service: Service, scripted: Any
) -> None:
    _, (_, earlier) = rejudged(ines, service, send(anna, "fault"))
    assert "/retry" not in ines.get(earlier).text


def test_only_who_teaches_opens_a_judgement_and_only_of_its_submission(
    anna: FlaskClient, ines: FlaskClient, send: Send, service: Service
) -> None:
    other = send(anna, "right")
    place, (_, earlier) = rejudged(ines, service, send(anna, "wrong"))
    assert anna.get(earlier).status_code == 403
    number = earlier.rpartition("=")[2]
    for bad in (f"{place}&judgement=999", f"{place}&judgement=x", f"{place}&judgement=-1"):
        assert ines.get(bad).status_code == 404, bad
    wrong = f"/class/learners/{other['user']}/add-pair?submission={other['id']}&judgement={number}"
    assert ines.get(wrong).status_code == 404


def test_a_rejudge_needs_the_token_and_the_right_method(
    anna: FlaskClient, ines: FlaskClient, send: Send, scripted: Any
) -> None:
    path = f"/class/submissions/{send(anna, 'right')['id']}/rejudge"
    assert ines.post(path).status_code == 403
    assert ines.get(path).status_code == 405
    assert len(scripted.jobs) == 1


def test_a_fault_is_retried_from_there(anna: FlaskClient, ines: FlaskClient, send: Send) -> None:
    view = send(anna, "fault")
    token = {"csrf": form_token(ines, "/password")}
    answer = ines.post(f"/submissions/{view['id']}/retry", data=token)
    assert answer.headers["Location"] == f"/class/submissions/{view['id']}"


def test_what_is_not_there_is_a_404(
    anna: FlaskClient, ben: FlaskClient, ines: FlaskClient, send: Send
) -> None:
    mine, other = send(anna, "right"), send(ben, "right")
    for path in (
        "/class/learners/999/add-pair",
        "/class/learners/99999999999999/add-pair",
        f"/class/learners/{mine['user']}/nothing",
        f"/class/learners/{mine['user']}/add-pair?submission={other['id']}",
        "/class/submissions/999",
    ):
        assert ines.get(path).status_code == 404, path


def test_a_learner_who_sent_nothing_has_an_empty_page(
    ines: FlaskClient, anna: FlaskClient, send: Send
) -> None:
    number = send(anna, "right")["user"]
    answer = ines.get(f"/class/learners/{number + 1}/add-pair")
    assert (answer.status_code, "还没有提交过" in answer.text) == (200, True)


def test_hints_and_giving_up_are_shown(anna: FlaskClient, ines: FlaskClient) -> None:
    token = form_token(anna, "/problems/add-pair")
    assert "条提示" not in ines.get("/class/learners/2/add-pair").text
    anna.post("/problems/add-pair/hints", data={"csrf": token, "n": "1"})
    anna.post("/problems/add-pair/give-up", data={"csrf": token, "confirm": "yes"})
    page = ines.get("/class/learners/2/add-pair").text
    assert "看过 1 条提示" in page and "放弃，看过答案" in page
