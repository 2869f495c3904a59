"""The line above the editor: it never changes its height while somebody types, whatever it says and however wide it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

OpenPage = Callable[..., Page]


def ready(page: Page, light_url: str) -> Page:
    page.goto(f"{light_url}/problems/ms-attn-metadata")
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    return page


def top(page: Page, what: str) -> float:
    return float(page.evaluate("what => document.querySelector(what).getBoundingClientRect().top", what))


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_run_and_submit_end_the_first_line_and_nothing_moves_while_one_types(
    light_url: str, open_page: OpenPage, locale: str
) -> None:
    page = ready(open_page("ERR_FAILED", locale=locale), light_url)
    for width in (1024, 1280, 1366, 1536, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        one_line(page)
        page.unroute("**/draft")
        before = top(page, "#editor"), top(page, "[value=submit]")
        page.locator(".monaco").click(position={"x": 200, "y": 60})
        page.keyboard.type("# x ")
        for key in ("kept", "saved"):
            expect(page.locator(f"#draft-state[data-key='draft.{key}']")).to_be_visible()
            assert (top(page, "#editor"), top(page, "[value=submit]")) == before
        page.route("**/draft", lambda route: route.abort())
        page.keyboard.type("y ")
        expect(page.locator("#draft-state[data-key='draft.offline']")).to_be_visible()
        assert (top(page, "#editor"), top(page, "[value=submit]")) == before


def one_line(page: Page) -> None:
    """The buttons stand side by side, Submit last; the title above has not wrapped either."""
    boxes: list[dict[str, Any]] = page.evaluate(
        "[...document.querySelectorAll('.toolbar button')].map(one => one.getBoundingClientRect().toJSON())"
    )
    toolbar, bar = page.locator(".toolbar").bounding_box(), page.locator(".bar").bounding_box()
    assert toolbar and bar and len(boxes) == 5
    assert toolbar["height"] < 1.6 * boxes[-1]["height"]
    assert boxes[-1]["right"] > toolbar["x"] + toolbar["width"] - 16
    assert boxes[-2]["right"] < boxes[-1]["left"] < boxes[-2]["right"] + 16
    assert bar["height"] < 60
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_the_title_above_gives_way_to_all_that_stands_beside_it(
    light_url: str, open_page: OpenPage, locale: str
) -> None:
    page = ready(open_page(locale=locale), light_url)
    account = "document.querySelector('.bar .menu').insertAdjacentHTML('beforebegin', '<nav class=account><a>Class</a><a>Somebody</a><a>Log out</a></nav>')"
    page.evaluate(account)  # as with accounts, which takes the most room
    for width in (810, 1024, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        bar = page.locator(".bar").bounding_box()
        assert bar and (bar["height"] < 60 or width < 1024)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert float(page.evaluate("document.querySelector('.bar .title').clientWidth")) >= 60


def test_a_trouble_opens_its_sentence_over_the_editor(light_url: str, open_page: OpenPage) -> None:
    page = ready(open_page("ERR_FAILED"), light_url)
    page.route("**/draft", lambda route: route.abort())
    page.locator(".monaco").click(position={"x": 200, "y": 60})
    page.keyboard.type("# x")
    trouble = page.locator("#draft-state summary")
    expect(trouble).to_contain_text("未同步")
    expect(page.get_by_role("status")).to_contain_text("连上后会自动同步")
    before = top(page, "#editor")
    trouble.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#draft-state p")).to_be_visible()
    assert top(page, "#editor") == before
