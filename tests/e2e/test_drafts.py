"""Drafts are never lost: a reload, another tab, another machine, a server that is away."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import expect_code

OpenPage = Callable[..., Page]
TypeCode = Callable[[Page, str], None]


@pytest.fixture
def url(light_url: str) -> str:
    return f"{light_url}/problems/ms-attn-metadata"


def ready(page: Page, url: str) -> Page:
    page.goto(url)
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    return page


def stored(page: Page, url: str) -> dict[str, Any] | None:
    found: dict[str, Any] = page.request.get(url.replace("/problems/", "/api/problems/") + "/draft").json()
    draft: dict[str, Any] | None = found["draft"]
    return draft


def test_a_server_put_back_to_an_earlier_day_takes_nothing_from_the_browser(
    url: str, open_page: OpenPage, type_code: TypeCode
) -> None:
    page = ready(open_page("409"), url)
    type_code(page, "morning = 1")
    expect(page.locator("#draft-state")).to_have_text("草稿已保存")
    kept = '{"source": "evening = 2", "base": 9, "sent": true, "asked": []}'  # stored as version 9, before the restore
    page.goto(f"{url}/history")
    page.evaluate("kept => localStorage.setItem('judge-draft:ms-attn-metadata', kept)", kept)
    page.goto(url)
    expect(page.locator("#conflict")).to_be_visible()
    expect_code(page, "evening = 2")
    page.get_by_role("button", name="保留我这里的").first.click()
    expect(page.locator("#draft-state")).to_have_text("草稿已保存")
    draft = stored(page, url)
    assert draft and draft["source"] == "evening = 2"


def test_a_draft_reaches_the_server_and_so_another_machine(
    url: str, open_page: OpenPage, type_code: TypeCode
) -> None:
    here = ready(open_page("409"), url)
    type_code(here, "here = 1")
    expect(here.locator("#draft-state")).to_have_text("草稿已保存")
    there = ready(open_page("409"), url)  # a context of its own: another browser
    expect_code(there, "here = 1")
    type_code(there, "there = 2")
    expect(there.locator("#draft-state")).to_have_text("草稿已保存")
    type_code(here, "here = 3")
    expect(here.locator("#conflict")).to_be_visible()
    here.get_by_role("button", name="看差别").click()
    expect(here.locator("dialog .monaco-diff")).to_contain_text("there")
    here.locator("dialog").get_by_role("button", name="保留我这里的").click()
    expect(here.locator("#conflict")).to_be_hidden()
    expect(here.locator("#draft-state")).to_have_text("草稿已保存")
    draft = stored(here, url)
    assert draft and (draft["source"], draft["version"]) == ("here = 3", 3)
    type_code(there, "there = 4")
    there.get_by_role("button", name="换成那边的").click()
    expect_code(there, "here = 3")
    there.keyboard.press("ControlOrMeta+Z")
    expect_code(there, "there = 4")


def test_two_tabs_of_one_browser_notice_each_other(
    url: str, open_page: OpenPage, type_code: TypeCode
) -> None:
    one = ready(open_page(), url)
    two = ready(one.context.new_page(), url)
    one.bring_to_front()
    type_code(one, "one = 1")
    expect(two.locator("#conflict")).to_be_visible()
    two.bring_to_front()
    type_code(two, "two = 2")
    two.wait_for_function("() => Object.values(localStorage).some((kept) => kept.includes('two = 2'))")
    two.reload()
    expect(two.locator("#conflict")).to_be_visible()  # what was typed meanwhile is there, and so is the other
    expect_code(two, "two = 2")
    two.get_by_role("button", name="换成那边的").click()
    expect_code(two, "one = 1")
    expect_code(one, "one = 1")
    expect(one.locator("#conflict")).to_be_hidden()


def test_what_waits_for_a_decision_outlives_its_tab_and_what_others_write(
    url: str, open_page: OpenPage, type_code: TypeCode
) -> None:
    one = ready(open_page(), url)
    two = ready(one.context.new_page(), url)
    type_code(one, "one = 1")
    expect(two.locator("#conflict")).to_be_visible()
    type_code(two, "two = 2")
    two.wait_for_function("() => Object.values(localStorage).some((kept) => kept.includes('two = 2'))")
    two.close()
    one.bring_to_front()
    type_code(one, "one = 3")
    expect(one.locator("#draft-state")).to_have_text("草稿已保存")
    again = ready(one.context.new_page(), url)
    expect(again.locator("#conflict")).to_be_visible()
    expect_code(again, "two = 2")


def test_without_a_server_a_draft_stays_and_goes_there_later(
    url: str, open_page: OpenPage, type_code: TypeCode
) -> None:
    page = ready(open_page("ERR_FAILED"), url)
    page.route("**/draft", lambda route: route.abort())
    type_code(page, "offline = 1")
    expect(page.locator("#draft-state")).to_contain_text("保存在这个浏览器里，连上后")
    page.unroute("**/draft")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#draft-state")).to_have_text("草稿已保存")
    assert (stored(page, url) or {})["source"] == "offline = 1"


def test_a_submission_that_was_not_sent_is_said_to_be_and_not_sent_later(
    url: str, open_page: OpenPage, type_code: TypeCode
) -> None:
    page = ready(open_page("ERR_FAILED"), url)
    type_code(page, "x = 1")
    page.route("**/api/submissions", lambda route: route.abort())
    page.get_by_role("button", name="提交", exact=True).click()
    expect(page.locator("#unsent")).to_contain_text("不会自动重发")
    page.unroute("**/api/submissions")
    page.reload()
    expect(page.locator("#unsent")).to_be_visible()
    expect_code(page, "x = 1")
    assert page.request.get(url.replace("/problems/", "/api/problems/") + "/submissions").json() == {
        "submissions": []
    }
    page.get_by_role("button", name="提交", exact=True).click()
    expect(page.locator("#unsent")).to_be_hidden()
    page.reload()
    expect(page.locator("#unsent")).to_be_hidden()


def test_own_code_can_be_downloaded(url: str, open_page: OpenPage, type_code: TypeCode) -> None:
    page = ready(open_page(), url)
    type_code(page, "mine = '注意'\n")
    with page.expect_download() as download:
        page.get_by_role("button", name="下载").click()
    assert download.value.suggested_filename == "189-ms-attn-metadata.py"
    assert Path(download.value.path()).read_text("utf-8") == "mine = '注意'\n"


def test_hints_open_one_by_one_in_place(url: str, open_page: OpenPage) -> None:
    page = ready(open_page(), url)
    hints = page.locator("#hints")
    expect(hints.locator("details")).to_have_count(0)
    hints.get_by_role("button").click()
    expect(hints.locator("details[open]")).to_have_count(1)
    hints.get_by_role("button").click()
    expect(hints.locator("details")).to_have_count(2)
    page.reload()
    expect(hints.locator("details")).to_have_count(2)


def test_a_hint_that_does_not_come_is_said_at_its_button_until_the_server_is_back(
    url: str, open_page: OpenPage
) -> None:
    page = ready(open_page("ERR_FAILED"), url)
    page.route("**/hints", lambda route: route.abort())
    page.route("**/healthz", lambda route: route.abort())
    page.locator("#hints").get_by_role("button").click()
    expect(page.locator("#hints [role=alert]")).to_contain_text("提示没有打开")
    expect(page.locator("#trouble")).to_be_hidden()
    page.unroute("**/hints")
    page.unroute("**/healthz")
    expect(page.locator("#hints [role=alert]")).to_have_count(0)


def test_a_banner_goes_away_once_the_server_is_back(url: str, open_page: OpenPage) -> None:
    page = ready(open_page("ERR_FAILED"), url)
    for path in ("**/api/scratch", "**/healthz"):
        page.route(path, lambda route: route.abort())
    page.get_by_role("button", name="试几行").click()
    page.keyboard.type("1")
    page.get_by_role("button", name="运行这几行").click()
    expect(page.locator("#trouble")).to_contain_text("连不上评测服务")
    page.unroute("**/healthz")
    expect(page.locator("#trouble")).to_be_hidden()


def test_the_way_back_from_comparing_leads_to_the_history(
    url: str, open_page: OpenPage, type_code: TypeCode
) -> None:
    page = ready(open_page(), url)
    type_code(page, "x = 1")
    page.keyboard.press("ControlOrMeta+Enter")
    expect(page.locator(".panel[data-status=done]")).to_be_visible()
    for back in ("link", "browser"):
        page.get_by_role("button", name="提交记录").click()
        page.locator("#history").get_by_role("link", name="比较任意两份代码").click()
        expect(page.locator("#difference")).to_be_visible()
        if back == "link":
            page.locator(".back a").click()
        else:
            page.go_back()
        expect(page.locator("html.ready #history table")).to_be_visible()
        page.get_by_role("button", name="结果").click()


def test_giving_up_shows_the_solution_beside_ones_own_code(
    url: str, open_page: OpenPage, type_code: TypeCode
) -> None:
    page = ready(open_page(), url)
    type_code(page, "mine = 1")
    expect(page.locator("#draft-state")).to_have_text("草稿已保存")
    page.get_by_text("放弃这道题").click()
    page.get_by_label("我知道").check()
    page.get_by_role("button", name="放弃并看答案").click()
    expect(page.get_by_role("heading", name="参考答案", exact=True)).to_be_visible()
    page.get_by_role("link", name="与我的代码比较").click()
    expect(page.locator(".monaco-diff")).to_contain_text("prepare_metadata")


def test_a_list_of_lines_shows_a_difference_without_monaco(url: str, open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 390, "height": 800})
    page.request.put(
        url.replace("/problems/", "/api/problems/") + "/draft",
        data={"source": "mine = 1", "based_on": 0},
        headers={"Content-Type": "application/json"},
    )
    page.goto(f"{url}/compare")
    expect(page.locator("tr.new")).to_contain_text("mine = 1")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_answer_lost_on_the_way_is_no_conflict(url: str, open_page: OpenPage, type_code: TypeCode) -> None:
    page = ready(open_page("Failed to load resource"), url)

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/draft", lose, times=1)
    type_code(page, "first = 1")
    expect(page.locator("#draft-state")).to_contain_text("保存在这个浏览器里，连上后")
    type_code(page, "second = 2")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#draft-state")).to_have_text("草稿已保存")
    expect(page.locator("#conflict")).to_be_hidden()
    assert (stored(page, url) or {})["source"] == "second = 2"


@pytest.mark.parametrize("length", [8, 70_000], ids=["short", "too-long-for-keepalive"])
def test_who_leaves_at_once_loses_nothing(
    url: str, open_page: OpenPage, type_code: TypeCode, length: int
) -> None:
    page = ready(open_page("Failed to load resource"), url)
    source = f"left = 1  # {'x' * length}"
    type_code(page, source)
    assert stored(page, url) is None  # it goes there two seconds after the last key
    page.goto(f"{url}/history")
    ready(page, url)
    expect_code(page, source)
    expect(page.locator("#conflict")).to_be_hidden()
    page.evaluate("dispatchEvent(new Event('online'))")
    deadline = time.monotonic() + 30
    while (stored(page, url) or {}).get("source") != source and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert (stored(page, url) or {})["source"] == source
