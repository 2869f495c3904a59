"""The workspace by keyboard, its settings, its themes, and the way from problem to problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.conftest import missing
from tests.e2e.conftest import expect_code, serving_lightly
from tests.e2e.test_accessibility import violations
from web.helper import available

OpenPage = Callable[..., Page]
TypeCode = Callable[[Page, str], None]


def ready(page: Page, light_url: str) -> Page:
    page.goto(f"{light_url}/problems/ms-attn-metadata")
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    return page


def last_mode(page: Page, light_url: str) -> str:
    found = page.request.get(f"{light_url}/api/problems/ms-attn-metadata/submissions").json()["submissions"]
    return str(found[0]["mode"]) if found else ""


def press(page: Page, keys: str) -> None:
    page.keyboard.press(keys)
    expect(page.locator(".panel[data-status=done]")).to_be_visible()


def test_keys_run_and_submit_ours_and_leetcodes(
    light_url: str, open_page: OpenPage, type_code: TypeCode
) -> None:
    page = ready(open_page(), light_url)
    expect(page.locator(".prose .math .katex").first).to_be_visible()  # no set of keys takes formulas away
    type_code(page, "x = 1")
    for keys, mode in (("Enter", "run"), ("Shift+Enter", "submit"), ("'", "run")):
        press(page, f"ControlOrMeta+{keys}")
        assert last_mode(page, light_url) == mode
    page.get_by_role("button", name="设置").click()
    page.get_by_label("运行与提交的按键").select_option("leetcode")
    page.keyboard.press("Escape")
    page.locator(".monaco").click(position={"x": 200, "y": 60})
    press(page, "ControlOrMeta+Enter")
    assert last_mode(page, light_url) == "submit"
    expect(page.locator(".tabs .keys")).to_contain_text("Enter 提交")
    expect_code(page, "x = 1")  # no key got into the code


def test_settings_are_remembered(light_url: str, open_page: OpenPage) -> None:
    page = ready(open_page(), light_url)
    page.locator(".statement").focus()
    page.keyboard.press("?")
    page.get_by_label("字号").select_option("24")
    page.get_by_label("自动换行").check()
    page.keyboard.press("Escape")
    for _ in range(2):
        options = "(e => [e.getRawOptions().fontSize, e.getRawOptions().wordWrap])(document.querySelector('.monaco').editor)"
        assert page.evaluate(options) == [24, "on"]
        page.reload()
        expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()


def test_a_text_area_can_be_chosen_at_any_width(
    light_url: str, open_page: OpenPage, type_code: TypeCode
) -> None:
    page = ready(open_page(), light_url)
    type_code(page, "mine = 1")
    page.get_by_role("button", name="设置").click()
    page.locator("#settings select[name=editor]").select_option("plain")
    expect(page.locator("html.ready #source")).to_be_visible()
    expect(page.locator("#source")).to_have_value("mine = 1")


def test_vim_keys_edit(light_url: str, open_page: OpenPage, type_code: TypeCode) -> None:
    page = ready(open_page(), light_url)
    type_code(page, "one\ntwo\n")
    page.get_by_role("button", name="设置").click()
    page.get_by_label("Vim 按键").check()
    expect(page.locator(".vim-status")).to_contain_text("NORMAL")
    page.keyboard.press("Escape")
    page.locator(".monaco").click(position={"x": 200, "y": 60})
    page.keyboard.type("ggdd")
    expect_code(page, "two\n")


def test_f6_goes_from_pane_to_pane(light_url: str, open_page: OpenPage) -> None:
    page = ready(open_page(), light_url)
    page.locator(".statement").focus()
    page.keyboard.press("F6")
    assert page.evaluate("Boolean(document.activeElement.closest('#editor'))")
    page.keyboard.press("F6")
    expect(page.locator("#results")).to_be_focused()
    page.keyboard.press("Shift+F6")
    assert page.evaluate("Boolean(document.activeElement.closest('#editor'))")


def test_a_theme_is_chosen_in_place_and_kept_on_every_page(light_url: str, open_page: OpenPage) -> None:
    page = ready(open_page(color_scheme="light"), light_url)
    body = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(body)
    page.locator(".menu summary").click()
    page.get_by_role("link", name="深色").click()
    dark = page.evaluate(body)
    assert dark != light
    expect(page.locator(".monaco-editor.vs-dark").first).to_be_visible()
    page.goto(light_url)
    assert page.evaluate(body) == dark
    page.goto(f"{light_url}/?theme=light")
    assert page.evaluate(body) == light


def test_the_settings_have_the_theme_as_well(light_url: str, open_page: OpenPage) -> None:
    page = ready(open_page(color_scheme="light"), light_url)
    page.get_by_role("button", name="设置").click()
    page.locator("#settings").get_by_label("外观").select_option("dark")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.keyboard.press("Escape")
    page.locator(".menu summary").click()
    expect(page.locator(".menu").get_by_role("link", name="深色")).to_have_attribute("aria-current", "true")
    page.get_by_role("link", name="浅色").click()
    expect(page.locator("#theme")).to_have_value("light")


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_a_phone_jumps_from_statement_to_editor_and_back(
    light_url: str, open_page: OpenPage, locale: str
) -> None:
    page = open_page(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True, locale=locale)
    page.goto(f"{light_url}/problems/ms-attn-metadata")
    expect(page.locator("html.ready")).to_be_attached()
    expect(page.locator("#source")).not_to_be_in_viewport()
    page.locator("a.jump[href='#editor-form']").tap()
    expect(page.locator("#source")).to_be_in_viewport()
    page.locator("a.jump[href='#statement']").tap()
    expect(page.locator("a.jump[href='#editor-form']")).to_be_in_viewport()
    assert violations(page) == []


def test_a_proxy_that_is_away_for_a_moment_ends_nothing(
    light_url: str, open_page: OpenPage, type_code: TypeCode
) -> None:
    page = ready(open_page("502"), light_url)
    away: list[str] = []

    def answer(route: Route) -> None:
        away.append(route.request.url)
        if len(away) > 2:
            route.continue_()
        else:
            route.fulfill(status=502, body="Bad Gateway")

    page.route("**/panel", answer)
    type_code(page, "x = 1")
    page.get_by_role("button", name="提交", exact=True).click()
    expect(page.locator(".panel[data-status=done]")).to_be_visible()
    assert len(away) > 2
    expect(page.locator("#trouble")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_new_pages_and_dialogs_are_accessible(
    light_url: str, open_page: OpenPage, scheme: str, locale: str
) -> None:
    page = ready(open_page(color_scheme=scheme, locale=locale), light_url)
    page.locator("#open-settings").click()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator(".after summary").click()
    page.get_by_role("checkbox").check()
    page.locator(".after form button").click()
    expect(page.locator("#solution")).to_be_visible()
    assert violations(page) == []
    page.goto(f"{light_url}/problems/ms-attn-metadata/compare?left=starter&right=solution")
    expect(page.locator(".monaco-diff .line-delete").first).to_be_attached()  # the colours of what differs
    expect(page.locator(".monaco-diff .line-insert").first).to_be_attached()
    assert violations(page) == []
    page.goto(f"{light_url}/chapters/5")
    page.locator(".menu summary").click()
    assert violations(page) == []


def test_chapters_and_neighbours_lead_on(light_url: str, open_page: OpenPage) -> None:
    page = open_page()
    page.goto(f"{light_url}/chapters/5")
    page.locator(".problems a[href*=ms-attn-metadata]").click()
    expect(page.locator("h1")).to_contain_text("#189")
    page.get_by_role("link", name="第 5 章").click()
    expect(page.locator("h1")).to_contain_text("注意力后端")


@pytest.fixture
def helped_url(tmp_path: Path) -> Iterator[str]:
    """As `light_url`, with the editor's help."""
    if not available():
        missing("ty or ruff is not installed; run the set-up")
    with serving_lightly(tmp_path, editor_help=True) as url:
        yield url


def test_the_editor_knows_torch_marks_mistakes_and_lays_out(helped_url: str, open_page: OpenPage) -> None:
    page = ready(open_page(), helped_url)
    page.locator(".monaco").click(position={"x": 200, "y": 60})
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("import torch\n\nx=torch.softmx\ntorch.softma")
    expect(page.locator(".squiggly-error")).to_have_count(2)  # what is unfinished is no name either
    page.keyboard.press("Control+Space")
    row = page.locator(".suggest-widget.visible .monaco-list-row.focused")
    expect(row).to_contain_text("softmax")
    page.keyboard.press("Enter")
    page.keyboard.type("(")
    expect(page.locator(".parameter-hints-widget.visible")).to_contain_text("dim: int")
    page.keyboard.press("Escape")
    page.keyboard.press("End")
    page.keyboard.press("Shift+Alt+F")
    expect_code(page, "import torch\n\nx = torch.softmx\ntorch.softmax()\n")
    page.get_by_role("button", name="设置").click()
    page.get_by_label("代码提示").uncheck()
    expect(page.locator(".squiggly-error")).to_have_count(0)


def test_what_a_dot_brings_is_asked_before_the_dot(helped_url: str, open_page: OpenPage) -> None:
    page = ready(open_page(), helped_url)
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.post_data or "") if "/api/help" in one.url else None)
    page.locator(".monaco").click(position={"x": 200, "y": 60})
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("import torch\n\ntorc")
    expect(page.locator(".squiggly-error")).to_have_count(1)  # the server is awake
    with page.expect_response(lambda one: r'\ntorch."' in (one.request.post_data or "")) as ahead:
        page.keyboard.type("h")
    names = [one[0] for one in ahead.value.json()["items"]]
    assert len(names) > 100 and "amp" in names
    page.keyboard.press("Escape")
    asked.clear()
    page.keyboard.type(".")
    expect(page.locator(".suggest-widget .monaco-list-row").first).to_be_visible()
    expect(page.locator(".suggest-widget .monaco-list-row").first).to_contain_text(names[0])
    assert not [one for one in asked if '"what":"complete"' in one]
    page.keyboard.type("softma")
    expect(page.locator(".suggest-widget .monaco-list-row.focused")).to_contain_text("softmax")
