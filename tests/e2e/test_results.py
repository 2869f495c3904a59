"""What a verdict changes on the page, and how its cases are reached."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.test_accessibility import violations

OpenPage = Callable[..., Page]
TypeCode = Callable[[Page, str], None]
Verdict = Callable[[Page, str], None]


def ready(page: Page, url: str) -> Page:
    page.goto(f"{url}/problems/ms-attn-metadata")
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    return page


def test_once_accepted_the_page_leads_on_without_a_reload(
    scripted_url: str, open_page: OpenPage, type_code: TypeCode, verdict: Verdict
) -> None:
    page = ready(open_page(), scripted_url)
    type_code(page, "wrong = 1")
    page.get_by_role("button", name="提交", exact=True).click()
    verdict(page, "WA")
    expect(page.locator("#standing")).to_contain_text("最高 33.3 分")
    page.get_by_text("放弃这道题").click()
    assert page.locator(".ahead").count() == 0
    type_code(page, "right = 1")
    page.get_by_role("button", name="提交", exact=True).click()
    verdict(page, "AC")
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
    scripted_url: str, open_page: OpenPage, type_code: TypeCode, verdict: Verdict
) -> None:
    page = ready(open_page(), scripted_url)
    for word, wanted in (("wrong", "WA"), ("right", "AC")):
        type_code(page, f"{word} = 1")
        page.get_by_role("button", name="提交", exact=True).click()
        verdict(page, wanted)
    page.get_by_role("button", name="提交记录").click()
    page.locator("#history a[data-submission='1']").click()
    expect(page.locator("#result")).to_contain_text("这是较早的一次：第 1 号")
    page.get_by_role("link", name="看最新的第 2 号").click()
    expect(page.locator("#result .panel")).to_have_attribute("data-id", "2")
    expect(page.locator("#result")).not_to_contain_text("这是较早的一次")
