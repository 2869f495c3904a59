"""Tab and Enter in a plain text area: they write code, and there is a way out by keyboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

OpenPage = Callable[..., Page]


def area(page: Page, light_url: str, name: str) -> Locator:
    page.goto(f"{light_url}/problems/ms-attn-metadata")
    expect(page.locator("html.ready")).to_be_attached()
    if name == "#scratch-lines":
        page.get_by_role("button", name="试几行").click()
    found = page.locator(name)
    found.fill("")
    found.focus()
    return found


@pytest.mark.parametrize("name", ["#scratch-lines", "#source"])
def test_tab_indents_and_enter_keeps_it(light_url: str, open_page: OpenPage, name: str) -> None:
    page = open_page(viewport={"width": 700, "height": 800})
    lines = area(page, light_url, name)
    page.keyboard.type("for x in y:\nprint(x)\n")
    page.keyboard.press("Tab")
    expect(lines).to_have_value("for x in y:\n    print(x)\n        ")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("z")
    expect(lines).to_have_value("for x in y:\n    print(x)\n    z")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.press("Tab")
    expect(lines).to_have_value("    for x in y:\n        print(x)\n        z")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ControlOrMeta+Z")
    expect(lines).to_have_value("    for x in y:\n        print(x)\n        z")


@pytest.mark.parametrize("name", ["#scratch-lines", "#source"])
def test_esc_then_tab_or_ctrl_m_leaves(light_url: str, open_page: OpenPage, name: str) -> None:
    page = open_page(viewport={"width": 700, "height": 800})
    lines = area(page, light_url, name)
    page.keyboard.press("Tab")
    expect(lines).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(lines).not_to_be_focused()
    lines.focus()
    page.keyboard.press("Tab")
    expect(lines).to_be_focused()  # Esc was for once
    page.keyboard.press("Control+m")
    page.keyboard.press("Shift+Tab")
    expect(lines).not_to_be_focused()
    description = page.evaluate("name => document.querySelector(name).getAttribute('aria-describedby')", name)
    expect(page.locator(f"#{description}")).to_contain_text("Esc")


def test_an_example_can_be_filled_in_where_nothing_is_written(light_url: str, open_page: OpenPage) -> None:
    page = open_page()
    lines = area(page, light_url, "#scratch-lines")
    page.get_by_role("button", name="填入例子").click()
    assert "prepare_metadata(" in lines.input_value()
    expect(page.get_by_role("button", name="填入例子")).to_be_hidden()
    page.keyboard.press("ControlOrMeta+Z")
    expect(lines).to_have_value("")
