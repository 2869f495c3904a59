"""What a learner does: solve #189, get it wrong, come back to it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from judge.problem import Problem
from tests.e2e.test_accessibility import violations

TypeCode = Callable[[Page, str], None]
Verdict = Callable[[Page, str], None]
IMAGES = Path(__file__).parents[2] / "docs/images"
WRONG = "mutants/mask_top_left.py"


def wrong_solution(problem: Problem) -> tuple[str, str]:
    """The key of its mistake, and the source without the line that names it."""
    first, _, source = (problem.text(WRONG) or "").partition("\n")
    return first.removeprefix("# expects: ").strip(), source.lstrip()


def picture(page: Page, name: str) -> None:
    """Keep a picture for the README where the run was asked to."""
    if os.environ.get("JUDGE_SCREENSHOTS") == "1":
        IMAGES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=IMAGES / name)


def test_the_solution_is_accepted(
    workspace: Page, problem: Problem, type_code: TypeCode, verdict: Verdict
) -> None:
    type_code(workspace, problem.solution)
    workspace.get_by_role("button", name="提交", exact=True).click()
    verdict(workspace, "AC")
    expect(workspace.locator(".verdict-head")).to_contain_text("得分 100")
    expect(workspace.get_by_role("status")).to_contain_text("AC 通过")


def test_a_wrong_solution_meets_its_advice_first(
    workspace: Page, problem: Problem, type_code: TypeCode, verdict: Verdict
) -> None:
    mistake, source = wrong_solution(problem)
    type_code(workspace, source)
    workspace.keyboard.press("ControlOrMeta+Shift+Enter")
    verdict(workspace, "WA")
    first = workspace.locator(".case[open]").first
    advice = problem.messages("zh").advice[mistake]
    assert first.locator(".advice").inner_text() == advice.replace("`", "")
    assert first.locator(".case-body > *").first.get_attribute("class") == "advice"
    expect(first.locator(".facts")).to_be_visible()
    picture(workspace, "workspace.png")


def test_the_same_failure_reads_in_english(
    judge_url: str, open_page: Callable[..., Page], problem: Problem, type_code: TypeCode, verdict: Verdict
) -> None:
    page = open_page(locale="en-US")
    page.goto(f"{judge_url}/problems/{problem.slug}")
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    type_code(page, wrong_solution(problem)[1])
    page.get_by_role("button", name="Submit", exact=True).click()
    verdict(page, "WA")
    text = page.locator(".results").inner_text()
    assert "Wrong answer".lower() in text.lower()
    assert not re.search(r"[\u4e00-\u9fff]", text)
    picture(page, "workspace.en.png")


def test_run_judges_the_examples_alone(
    workspace: Page, problem: Problem, type_code: TypeCode, verdict: Verdict
) -> None:
    type_code(workspace, problem.solution)
    workspace.keyboard.press("ControlOrMeta+Enter")
    verdict(workspace, "AC")
    assert workspace.locator(".panel .tag", has_text="隐藏").count() == 0
    expect(workspace.locator(".foot")).to_contain_text("运行")


def test_history_and_draft_survive_a_reload(
    workspace: Page, problem: Problem, type_code: TypeCode, verdict: Verdict
) -> None:
    type_code(workspace, "x = (")
    workspace.keyboard.press("ControlOrMeta+Enter")
    verdict(workspace, "CE")
    expect(workspace.locator(".message")).to_be_visible()
    workspace.keyboard.press("ControlOrMeta+A")
    workspace.keyboard.type("# 草稿：还没写完", delay=20)
    expect(workspace.locator("#draft-state")).not_to_be_empty()
    workspace.reload()
    expect(workspace.locator(".view-lines")).to_contain_text("草稿")
    workspace.get_by_role("button", name="提交记录").click()
    newest = workspace.locator("#history a[data-submission]").first
    expect(newest).to_contain_text("CE")
    newest.click()
    workspace.get_by_text("这次提交的代码").click()
    workspace.get_by_role("button", name="放回编辑器").click()
    expect(workspace.locator(".view-lines")).to_have_text("x = (")
    workspace.keyboard.press("ControlOrMeta+Z")
    expect(workspace.locator(".view-lines")).to_contain_text("草稿")


def test_a_line_of_the_learners_own_can_be_gone_to(
    workspace: Page, type_code: TypeCode, verdict: Verdict, problem: Problem
) -> None:
    type_code(workspace, f"{problem.solution}\n\n\n1 / 0\n")
    workspace.keyboard.press("ControlOrMeta+Enter")
    verdict(workspace, "RE")
    workspace.locator("[data-line]").first.click()
    line = workspace.evaluate("document.querySelector('.monaco').editor.getPosition().lineNumber")
    assert line == (problem.solution + "\n" * 3).count("\n") + 1


def test_scratch_lines_run_by_keyboard_and_show_what_they_come_to(
    workspace: Page, type_code: TypeCode, problem: Problem
) -> None:
    type_code(workspace, f"{problem.solution}\n\ndef ramp(n):\n    return torch.arange(n * n).view(n, n)\n")
    before = workspace.locator("#history a[data-submission]").count()
    workspace.get_by_role("button", name="试几行").click()
    workspace.keyboard.type("print('hello')\nramp(4)\nramp('x')")
    workspace.keyboard.press("ControlOrMeta+Enter")
    panel = workspace.locator("#scratch-result .panel[data-status=done]")
    panel.wait_for(timeout=120_000)
    assert panel.get_attribute("data-verdict") == "RE"
    expect(panel.locator(".shown pre")).to_contain_text("tensor([[0, 1, 2, 3]")
    expect(panel.locator(".shown figure svg")).to_be_visible()
    expect(panel.locator(".printed")).to_contain_text("hello")
    expect(panel.locator(".message")).to_contain_text("TypeError")
    assert violations(workspace) == []
    panel.locator(".here [data-scratch-line]").click()
    area = "[document.activeElement.id, getSelection().toString()]"
    assert workspace.evaluate(area) == ["scratch-lines", "ramp('x')"]
    workspace.reload()
    workspace.get_by_role("button", name="试几行").click()
    expect(workspace.locator("#scratch-lines")).to_have_value("print('hello')\nramp(4)\nramp('x')")
    expect(workspace.locator("#history a[data-submission]")).to_have_count(before)


def test_the_example_runs_and_its_outcome_comes_into_view(
    judge_url: str, open_page: Callable[..., Page], type_code: TypeCode, problem: Problem
) -> None:
    page = open_page(viewport={"width": 1280, "height": 700})
    page.goto(f"{judge_url}/problems/{problem.slug}")
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    type_code(page, problem.solution)
    page.get_by_role("button", name="试几行").click()
    page.get_by_role("button", name="填入例子").click()
    page.get_by_role("button", name="运行这几行").click()
    panel = page.locator("#scratch-result .panel[data-status=done]")
    panel.wait_for(timeout=120_000)
    assert panel.get_attribute("data-verdict") == "AC"
    expect(panel.locator(".shown pre").first).to_contain_text("cu_seqlens_q")
    expect(panel.locator(".verdict")).to_be_in_viewport()
    expect(panel.locator(".shown pre").first).to_be_in_viewport(ratio=0.3)


def test_the_starter_can_be_brought_back_and_that_undone(
    workspace: Page, problem: Problem, type_code: TypeCode
) -> None:
    type_code(workspace, "mine = 1")
    workspace.once("dialog", lambda dialog: dialog.accept())
    workspace.get_by_role("button", name="恢复初始代码").click()
    value = "document.querySelector('.monaco').editor.getValue({lineEnding: '\\n'})"
    assert workspace.evaluate(value) == problem.starter
    workspace.keyboard.press("ControlOrMeta+Z")
    assert workspace.evaluate(value) == "mine = 1"


def test_the_list_shows_what_was_solved(
    judge_url: str, workspace: Page, problem: Problem, verdict: Verdict
) -> None:
    answer = workspace.request.post(
        f"{judge_url}/api/submissions",
        data={"problem": problem.number, "source": problem.solution, "mode": "submit"},
    )
    assert answer.status in (201, 202)
    workspace.goto(f"{judge_url}/problems/{problem.slug}?submission={answer.json()['id']}")
    verdict(workspace, "AC")
    workspace.goto(judge_url)
    expect(workspace.locator("tr", has_text=f"#{problem.number}")).to_contain_text("已通过")


def test_without_scripts_code_is_sent_and_judged(
    new_context: Callable[..., BrowserContext], judge_url: str, problem: Problem
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{judge_url}/problems/{problem.slug}")
    page.locator("#source").fill(problem.solution)
    page.get_by_role("button", name="运行示例").click()
    for _ in range(120):  # this Chromium hides <noscript>, which would reload the page by itself
        if page.locator(".panel[data-status=done]").count():
            break
        page.wait_for_timeout(500)
        page.reload()
    assert page.locator(".panel").get_attribute("data-verdict") == "AC"
    assert page.locator("#source").input_value().strip() == problem.solution.strip()
    assert page.locator("#history a").count() >= 1


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_reads_and_solves_without_scrolling_sideways(
    judge_url: str, open_page: Callable[..., Page], problem: Problem, verdict: Verdict, width: int
) -> None:
    page = open_page(viewport={"width": width, "height": 800}, has_touch=True, is_mobile=True)
    for path in ("/", f"/problems/{problem.slug}"):
        page.goto(f"{judge_url}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.locator("html.ready")).to_be_attached()
    page.locator("#source").fill(problem.solution)
    page.get_by_role("button", name="运行示例").tap()
    verdict(page, "AC")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
