"""The results of one submission, as the piece of page that is swapped in."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update
from werkzeug.test import TestResponse

from judge.models import Judgement, ProblemVersion
from judge.service import Service
from tests.web.conftest import a_case

Submit = Callable[..., dict[str, Any]]


def panel_of(client: FlaskClient, view: dict[str, Any]) -> str:
    return client.get(f"/submissions/{view['id']}/panel").text


def read(answer: TestResponse) -> Any:
    """The JSON of an answer."""
    return json.loads(answer.data)


def test_a_wrong_answer_reads_advice_then_facts(client: FlaskClient, submit: Submit) -> None:
    panel = panel_of(client, submit("wrong"))
    order = ["答案错误", "得分 33.3 / 100", "两个大数", "你算的是积", "explain", 'got">int64', 'want">int32']
    order += ["第一个错处 [0, 1]", "误差最大处 [1, 2]"]
    places = [panel.index(text) for text in order]
    assert places == sorted(places)
    assert "<code>*</code>" in panel


def test_kinds_of_failure_are_counted_under_the_verdict(client: FlaskClient, submit: Submit) -> None:
    view = submit("wrong")
    head = panel_of(client, view).partition('data-key="strip"')[0]
    assert re.findall(r"<span>([^<]+)</span>", head)[-2:] == ["运行错误 1", "答案错误 1"]
    english = client.get(f"/submissions/{view['id']}/panel", headers={"Accept-Language": "en"}).text
    assert "<span>runtime error 1</span>" in english
    assert 'class="tally kinds"' not in panel_of(client, submit("right"))


def test_points_are_told_by_part_where_there_are_several(
    client: FlaskClient, submit: Submit, scripted: Any
) -> None:
    cases = [a_case("add-small", "AC"), a_case("add-large", "WA"), a_case("add-many", "WA", part="gone")]
    scripted.scripts["parted"] = cases
    panel = panel_of(client, submit("parted"))
    assert "<span>加法 1/2</span>" in panel and "<span>gone 0/1</span>" in panel
    assert 'class="tally parts"' not in panel_of(client, submit("wrong"))


def test_values_stdout_and_inputs_are_shown_where_they_may_be(client: FlaskClient, submit: Submit) -> None:
    panel = panel_of(client, submit("wrong"))
    for text in ("add(1, 2)", "tensor([2, 4], dtype=int64)", "输出过长", ">20<", ">9<"):
        assert text in panel


def test_text_of_a_learner_is_escaped(client: FlaskClient, submit: Submit) -> None:
    panel = panel_of(client, submit("wrong"))
    assert "&lt;script&gt;alert(&#39;stdout&#39;)" in panel
    assert "&lt;img src=x" in panel
    for raw in ("<script", "<img", "<b>"):
        assert raw not in panel


def test_only_the_first_failure_is_open(client: FlaskClient, submit: Submit) -> None:
    panel = panel_of(client, submit("wrong"))
    assert 'data-key="case-add-large" class="case verdict-wa" open' in panel
    assert 'data-key="case-add-many" class="case verdict-re">' in panel


def test_the_learners_line_can_be_gone_to(client: FlaskClient, submit: Submit) -> None:
    assert 'data-line="2">第 2 行，add</button>' in panel_of(client, submit("wrong"))


def test_cases_that_did_not_run_are_told_apart(client: FlaskClient, submit: Submit) -> None:
    panel = panel_of(client, submit("slow"))
    assert "超时" in panel
    assert '未运行 <span class="count">2</span>' in panel
    assert "用了 3.1 秒 CPU 时间，上限是 2 秒（题目规定 1 秒；这台机器较慢，放宽到 2 倍）" in panel
    assert '<span class="num">CPU 时间 3.10 s</span>' in panel
    assert panel.index("评测提前结束") < panel.index('<details data-key="not-run"')
    assert "其余 2 个用例没有运行，按“超时”计" in panel


def test_code_that_does_not_load_has_its_message_and_line(client: FlaskClient, submit: Submit) -> None:
    panel = panel_of(client, submit("unknown"))
    assert 'data-verdict="CE"' in panel
    assert 'class="message"' in panel and "评测提前结束" not in panel
    assert 'data-line="3"' in panel


def test_verdict_phases_and_sandbox_are_told(client: FlaskClient, submit: Submit) -> None:
    panel = panel_of(client, submit("right"))
    for text in ("通过 3 / 3 个用例", "用例 0.12 s", "加载代码 4 ms", "沙箱 landlock", "AC 通过"):
        assert text in panel


def test_what_is_accepted_leads_on(client: FlaskClient, submit: Submit) -> None:
    assert 'data-key="ahead"' not in panel_of(client, submit("wrong"))
    assert 'data-key="ahead"' not in panel_of(client, submit("right", mode="run"))
    panel = panel_of(client, submit("right"))
    assert 'href="/problems/add-pair/editorial"' in panel
    assert "下一题" not in panel  # the bank has no other
    assert (
        'href="/problems/add-pair/editorial"' in client.get("/problems/add-pair").text.split('id="result"')[1]
    )


def test_an_earlier_submission_says_that_it_is_one(client: FlaskClient, submit: Submit) -> None:
    first = submit("wrong")
    assert "这是较早的一次" not in panel_of(client, first)
    second = submit("right", mode="run")
    told = panel_of(client, first)
    assert "这是较早的一次结果：第 1 号，20" in told and 'data-submission="2"' in told
    assert "这是较早的一次" in client.get("/problems/add-pair?submission=1").text
    assert "这是较早的一次" not in panel_of(client, second) + client.get("/problems/add-pair").text


def test_it_is_in_the_readers_language(client: FlaskClient, submit: Submit) -> None:
    view = submit("wrong")
    panel = client.get(f"/submissions/{view['id']}/panel", headers={"Accept-Language": "en"}).text
    assert "Two large numbers" in panel
    assert "That is the product" in panel
    assert "答案" not in panel


def test_an_unchanged_panel_is_a_304(client: FlaskClient, submit: Submit) -> None:
    path = f"/submissions/{submit('right')['id']}/panel"
    tag = client.get(path).headers["ETag"]
    again = client.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    assert client.get(path, headers={"If-None-Match": tag, "Accept-Language": "en"}).status_code == 200


def test_a_change_is_waited_for(app: Flask, client: FlaskClient, scripted: Any) -> None:
    scripted.gate.clear()
    view = read(client.post("/api/submissions", json={"problem": 7, "source": "right", "mode": "submit"}))
    path = f"/submissions/{view['id']}/panel"
    deadline = time.monotonic() + 10
    while "已完成 1 / 3" not in (page := client.get(path)).text:
        assert time.monotonic() < deadline
    opener = threading.Timer(0.2, scripted.gate.set)
    opener.start()
    headers = {"If-None-Match": page.headers["ETag"], "Prefer": "wait=2"}
    later = app.test_client().get(path, headers=headers)
    assert later.status_code == 200
    assert later.headers["ETag"] != page.headers["ETag"]
    opener.join()


def test_an_unknown_submission_is_a_404(client: FlaskClient) -> None:
    assert client.get("/submissions/99/panel").status_code == 404
    assert client.get("/submissions/99999999999999999999999/panel").status_code == 404


def test_history_lists_newest_first_with_links(client: FlaskClient, submit: Submit) -> None:
    submit("wrong")
    submit("right", mode="run")
    table = client.get("/problems/add-pair/history").text
    assert table.index('data-submission="2"') < table.index('data-submission="1"')
    assert "33.3" in table
    assert "运行" in table


def test_history_before_the_first_submission_says_so(client: FlaskClient) -> None:
    assert "还没有提交过" in client.get("/problems/add-pair/history").text


def test_the_details_tell_what_the_judgement_was_made_with(
    client: FlaskClient, submit: Submit, service: Service
) -> None:
    view = submit("right")
    with service.database.write() as session:
        session.add(ProblemVersion(hash="0123456789abcdef", number=7, slug="add-pair"))
        session.flush()
        session.execute(update(Judgement).values(problem_version="0123456789abcdef"))
    details = panel_of(client, view).partition("这次评测的细节")[2]
    assert "CPU 时间每个用例 2 秒，载入 10 秒，合计 20 秒；内存 256 MiB；输出 64 KiB" in details
    assert "<p>题目版本 0123456789 · Python 3.12.1 · PyTorch 2.5.1</p>" in details
    english = client.get(f"/submissions/{view['id']}/panel", headers={"Accept-Language": "en"}).text
    assert (
        "CPU time 2 s per case, 10 s to load, 20 s in all" in english
        and "problem version 0123456789" in english
    )
