"""Where Monaco is missing or fails, a plain text area does its work."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from judge.problem import Problem
from tests.e2e.conftest import serving_lightly
from web.app import STATIC


@pytest.fixture
def bare_url(tmp_path: Path) -> Iterator[str]:
    """A server whose bundle was never built, and whose judge always fails."""
    static = tmp_path / "static"
    shutil.copytree(STATIC, static, ignore=shutil.ignore_patterns("vendor*"))
    with serving_lightly(tmp_path, static) as url:
        yield url


def test_without_the_bundle_a_text_area_submits(bare_url: str, open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(f"{bare_url}/problems/ms-attn-metadata")
    expect(page.locator("html.ready")).to_be_attached()
    expect(page.locator("#no-editor")).to_contain_text("普通文本框")
    page.locator("#source").fill("x = 1")
    page.keyboard.press("ControlOrMeta+Enter")
    expect(page.locator(".panel[data-verdict=SE]")).to_be_visible(timeout=30_000)
    page.reload()
    expect(page.locator("#source")).to_have_value("x = 1")
    page.get_by_role("button", name="重新评测").click()
    expect(page.locator(".panel[data-verdict=SE]")).to_be_visible(timeout=30_000)


def test_a_bundle_that_fails_to_load_leaves_the_text_area(
    judge_url: str, new_context: Callable[..., BrowserContext], problem: Problem
) -> None:
    page = new_context().new_page()
    page.route("**/vendor/monaco.js", lambda route: route.abort())
    page.goto(f"{judge_url}/problems/{problem.slug}")
    expect(page.locator("#no-editor")).to_contain_text("没能加载")
    expect(page.locator("#source")).to_be_visible()


def test_a_server_that_went_away_loses_no_code(
    judge_url: str, new_context: Callable[..., BrowserContext], problem: Problem
) -> None:
    page = new_context().new_page()
    page.goto(f"{judge_url}/problems/{problem.slug}")
    expect(page.locator("html.ready .view-lines")).to_be_visible()
    page.route("**/api/submissions", lambda route: route.abort())
    page.get_by_role("button", name="提交", exact=True).click()
    expect(page.locator("#unsent")).to_contain_text("不算已提交")
    page.unroute("**/api/submissions")
    expect(page.get_by_role("button", name="提交", exact=True)).to_be_enabled()
