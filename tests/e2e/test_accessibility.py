"""axe finds nothing on list and workspace, in both colour schemes and languages; the panes move by keyboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from judge.problem import Problem

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(page: Page) -> list[str]:
    found = Axe().run(page, options=RULES).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_list_and_workspace_are_accessible(
    judge_url: str, open_page: Callable[..., Page], problem: Problem, scheme: str, locale: str
) -> None:
    page = open_page(color_scheme=scheme, locale=locale)
    page.goto(judge_url)
    assert violations(page) == []
    page.goto(f"{judge_url}/problems/{problem.slug}")
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    page.locator("#hints button").click()
    expect(page.locator("#hints details[open]")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_failure_and_the_history_are_accessible(
    judge_url: str,
    open_page: Callable[..., Page],
    problem: Problem,
    type_code: Callable[[Page, str], None],
    verdict: Callable[[Page, str], None],
    scheme: str,
) -> None:
    page = open_page(color_scheme=scheme)
    page.goto(f"{judge_url}/problems/{problem.slug}")
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    type_code(page, problem.text("mutants/mask_top_left.py") or "")
    page.keyboard.press("ControlOrMeta+Enter")
    verdict(page, "WA")
    page.locator(".whole summary").first.click()
    page.get_by_text("这次提交的代码").click()
    assert violations(page) == []
    page.get_by_role("button", name="提交记录").click()
    assert violations(page) == []


def test_panes_move_by_arrow_keys_and_stay(workspace: Page) -> None:
    bar = workspace.get_by_role("separator").first
    before = workspace.locator(".statement").bounding_box()
    bar.focus()
    for _ in range(3):
        workspace.keyboard.press("ArrowRight")
    after = workspace.locator(".statement").bounding_box()
    assert before and after and after["width"] > before["width"] + 40
    workspace.reload()
    expect(bar).to_have_attribute("aria-valuenow", "48")


@pytest.mark.parametrize("path", ["/", "/chapters/{chapter}", "/problems/{slug}", "/problems/{slug}/compare"])
def test_at_400_percent_nothing_is_cut_off_sideways_and_nothing_moves(
    light_url: str, open_page: Callable[..., Page], problem: Problem, path: str
) -> None:
    # 1280 x 1024 enlarged fourfold; a failed submission is shown
    page = open_page(
        viewport={"width": 320, "height": 256}, device_scale_factor=4, reduced_motion="reduce", locale="en-US"
    )
    page.request.post(
        f"{light_url}/api/submissions", data={"problem": problem.number, "source": "x", "mode": "run"}
    )
    page.goto(light_url + path.format(slug=problem.slug, chapter=problem.chapter))
    if path.endswith("{slug}"):
        expect(page.locator("html.ready")).to_be_attached()
        page.locator("#tab-scratch").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    wide = """[...document.querySelectorAll('button, a, select, input, h1, h2, summary')].filter(one => {
      const box = one.getBoundingClientRect(), parent = one.closest('table, pre, .scroll, .panels, .difference-box');
      return box.width && one.checkVisibility() && !parent && !one.matches('.skip') && box.right > 321;
    }).map(one => one.outerHTML.slice(0, 120))"""
    assert page.evaluate(wide) == []
    moving = """[...document.querySelectorAll('*')].filter(one => ['', '::before', '::after'].some(part => {
      const style = getComputedStyle(one, part || null);
      return style.animationName !== 'none' || style.transitionDuration.split(', ').some(time => time !== '0s');
    })).map(one => one.outerHTML.slice(0, 120))"""
    assert page.evaluate(moving) == []
