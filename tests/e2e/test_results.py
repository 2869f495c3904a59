"""What a verdict changes on the page, and how its cases are reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import serving_lightly
from tests.e2e.test_accessibility import violations
from tests.web.conftest import ScriptedJudge

OpenPage = Callable[..., Page]
Submit = Callable[[Page, str, str], None]


@pytest.fixture
def submit(type_code: Callable[[Page, str], None], verdict: Callable[[Page, str], None]) -> Submit:
    """Submits a source by the button, and waits for its verdict."""

    def do(page: Page, source: str, wanted: str) -> None:
        type_code(page, source)
        page.get_by_role("button", name="提交", exact=True).click()
        verdict(page, wanted)

    return do


def ready(page: Page, url: str) -> Page:
    page.goto(f"{url}/problems/ms-attn-metadata")
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    return page


def test_once_accepted_the_page_leads_on_without_a_reload(
    scripted_url: str, open_page: OpenPage, submit: Submit
) -> None:
    page = ready(open_page(), scripted_url)
    submit(page, "wrong = 1", "WA")
    expect(page.locator("#standing")).to_contain_text("最高 33.3 分")
    page.get_by_text("放弃这道题").click()
    assert page.locator(".ahead").count() == 0
    submit(page, "right = 1", "AC")
    expect(page.locator("#standing")).to_contain_text("✓ 已通过")
    expect(page.locator(".statement .after form")).to_have_count(0)
    assert violations(page) == []
    expect(page.locator(".ahead").get_by_role("link", name="下一题：")).to_have_attribute(
        "href", "/problems/mx-decode-fast-path"
    )
    page.locator(".ahead").get_by_role("link", name="看题解与参考答案").click()
    expect(page.get_by_role("heading", name="参考答案", exact=True)).to_be_visible()
    page.go_back()
    expect(page.locator("html.ready")).to_be_attached()
    page.locator(".statement").get_by_role("link", name="看题解与参考答案").click()
    expect(page.get_by_role("heading", name="参考答案", exact=True)).to_be_visible()


def test_an_earlier_attempt_leads_to_the_latest(
    scripted_url: str, open_page: OpenPage, submit: Submit
) -> None:
    page = ready(open_page(), scripted_url)
    for word, wanted in (("wrong", "WA"), ("right", "AC")):
        submit(page, f"{word} = 1", wanted)
    page.get_by_role("button", name="提交记录").click()
    page.locator("#history a[data-submission='1']").click()
    expect(page.locator("#result")).to_contain_text("这是较早的一次结果：第 1 号")
    page.get_by_role("link", name="看最新的第 2 号").click()
    expect(page.locator("#result .panel")).to_have_attribute("data-id", "2")
    expect(page.locator("#result")).not_to_contain_text("这是较早的一次")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_square_of_a_failed_case_opens_its_card(
    scripted_url: str, open_page: OpenPage, submit: Submit, scheme: str
) -> None:
    page = ready(open_page(color_scheme=scheme, viewport={"width": 1280, "height": 700}), scripted_url)
    submit(page, "wrong = 1", "WA")
    squares = page.locator(".strip li")
    expect(squares).to_have_count(3)
    expect(squares.locator("a")).to_have_count(2)  # what passed leads nowhere
    assert violations(page) == []
    card = page.locator("#case-add-many")
    expect(card.locator(".case-body")).to_be_hidden()
    squares.locator("a").last.focus()
    page.keyboard.press("Enter")
    expect(card.locator(".case-body")).to_be_in_viewport(ratio=0.5)
    expect(card.locator("summary").first).to_be_focused()


def test_a_card_opened_at_the_edge_comes_into_view(
    scripted_url: str, open_page: OpenPage, submit: Submit
) -> None:
    page = ready(open_page(viewport={"width": 1280, "height": 700}), scripted_url)
    submit(page, "wrong = 1", "WA")
    card = page.locator("#case-add-many")
    summary = card.locator("summary").first
    summary.evaluate("one => one.scrollIntoView({block: 'end'})")
    summary.click()
    expect(card.locator(".case-body > :last-child")).to_be_in_viewport()


def test_what_is_about_the_judgement_is_folded_under_its_bar(
    scripted_url: str, open_page: OpenPage, submit: Submit
) -> None:
    page = ready(open_page(), scripted_url)
    submit(page, "right = 1", "AC")
    expect(page.locator(".foot .phases")).to_be_visible()
    expect(page.locator(".foot .seed")).to_be_hidden()
    page.get_by_text("这次评测的细节").click()
    expect(page.locator(".foot .seed")).to_be_visible()
    expect(page.locator(".foot .legend")).to_be_visible()


def test_a_refused_submission_leaves_the_one_before_it_to_go_on(
    tmp_path: Path, open_page: OpenPage, type_code: Callable[[Page, str], None]
) -> None:
    judge = ScriptedJudge()
    judge.gate.clear()
    with serving_lightly(tmp_path, judge=judge) as url:
        page = ready(open_page("429"), url)
        refuse_the_second(page, type_code, judge)
        page.close()  # before the server, or a last question of the page's would be an error


def refuse_the_second(page: Page, type_code: Callable[[Page, str], None], judge: ScriptedJudge) -> None:
    type_code(page, "right = 1")
    submit = page.get_by_role("button", name="提交", exact=True)
    submit.click()
    panel = page.locator(".panel")
    expect(panel).to_have_attribute("data-status", "running")
    number = panel.get_attribute("data-id")
    refusal = {"error": {"code": "too-fast", "message": "请等 3 秒再提交"}}
    page.route("**/api/submissions", lambda route: route.fulfill(status=429, json=refusal), times=1)
    submit.click()
    expect(page.locator("#trouble")).to_contain_text("请等 3 秒再提交")
    expect(panel).to_have_attribute("data-id", str(number))
    judge.gate.set()
    expect(panel).to_have_attribute("data-verdict", "AC")
