"""What a learner sees of ten mistakes: advice first, then facts and the picture that shows it; accessible in both schemes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from judge.problem import Problem
from tests.e2e.test_accessibility import violations

IMAGES = Path(__file__).parents[2] / "docs/images"
IMAGE_MAX_BYTES = 150_000
MISTAKES: list[tuple[str, str, str]] = [
    ("mask_top_left", "light", "en-US"),
    ("mask_missing", "light", "zh-CN"),
    ("table_unused", "light", "en-US"),
    ("batch_as_one", "dark", "zh-CN"),
    ("scale_missing", "light", "en-US"),
    ("values_are_keys", "dark", "en-US"),
    ("row_masked_late", "light", "en-US"),
    ("cu_not_summed", "light", "zh-CN"),
    ("rows_by_position", "dark", "en-US"),
    ("undocumented_key", "light", "en-US"),
]
"""Wrong solutions that the examples alone find, each in one scheme and language."""


def submitted(page: Page, url: str, source: str) -> int:
    """The number of a run of the examples, sent as the page's script sends it."""
    body = {"problem": 189, "source": source, "mode": "run"}
    answer = page.request.post(
        f"{url}/api/submissions", data=json.dumps(body), headers={"Content-Type": "application/json"}
    )
    number: int = answer.json()["id"]
    return number


@pytest.mark.parametrize(("name", "scheme", "locale"), MISTAKES, ids=[name for name, _, _ in MISTAKES])
def test_a_mistake_is_seen_at_a_glance(
    judge_url: str, open_page: Callable[..., Page], problem: Problem, name: str, scheme: str, locale: str
) -> None:
    first, _, source = (problem.text(f"mutants/{name}.py") or "").partition("\n")
    # so high that the pane shows the whole case
    page = open_page(color_scheme=scheme, locale=locale, viewport={"width": 1280, "height": 2600})
    number = submitted(page, judge_url, source.lstrip())
    page.goto(f"{judge_url}/problems/{problem.slug}?submission={number}")
    page.locator(".panel[data-status=done]").wait_for(timeout=120_000)
    case = page.locator(".case[open]").first
    advice = problem.messages(locale[:2]).advice[first.removeprefix("# expects: ").strip()]
    top = case.locator(".case-body > *").first
    assert (top.get_attribute("class"), top.inner_text()) == ("advice", advice.replace("`", ""))
    expect(case.locator(".facts, .frames").first).to_be_visible()
    if name != "undocumented_key":
        expect(case.locator("figure .said").first).to_be_visible()
    if name in ("mask_top_left", "rows_by_position"):
        fold(case, opened=True)
        assert violations(page) == []
        fold(case, opened=False)
    keep(page, f"failure-{name.replace('_', '-')}.png")


def fold(case: Locator, *, opened: bool) -> None:
    """Open or close everything within a case."""
    case.evaluate(
        f"node => node.querySelectorAll('details').forEach(one => {{ one.open = {str(opened).lower()} }})"
    )


def keep(page: Page, name: str) -> None:
    """Keep a picture of the first failing case where the run was asked to."""
    if os.environ.get("JUDGE_SCREENSHOTS") != "1":
        return
    IMAGES.mkdir(parents=True, exist_ok=True)
    page.locator(".case[open]").first.screenshot(path=IMAGES / name)
    assert (IMAGES / name).stat().st_size < IMAGE_MAX_BYTES


def test_a_click_on_the_line_goes_there_and_the_file_reproduces(
    judge_url: str, open_page: Callable[..., Page], problem: Problem
) -> None:
    page = open_page()
    source = problem.solution.replace("starts = meta", "starts = meta['no such key']; starts = meta")
    number = submitted(page, judge_url, source)
    page.goto(f"{judge_url}/problems/{problem.slug}?submission={number}")
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    page.locator(".panel[data-status=done]").wait_for(timeout=120_000)
    line = page.locator(".case[open] .frames [data-line]").last
    wanted = next(i for i, text in enumerate(source.split("\n"), 1) if "no such key" in text)
    assert line.get_attribute("data-line") == str(wanted)
    line.click()
    position: Any = page.evaluate("document.querySelector('.monaco').editor.getPosition().lineNumber")
    assert position == wanted
    with page.expect_download() as download:
        page.locator(".case[open] .repro a").first.click()
    assert download.value.suggested_filename == "189-ms-attn-metadata-repro-forward-book.py"
