"""A class in the browser: 30 learners, two of them at #189, and the instructor who reads, rejudges and exports."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from judge.problem import Problem
from tests.e2e.conftest import ROOT, serving
from tests.e2e.test_accessibility import violations

PASSWORD = "correct horse"
SLUG = "ms-attn-metadata"
CHANGED_CASE = """

@case(part="forward", points=1)
def test_added_later(submission, rng):
    check.that(False, mistake="mask-top-left")
"""


@dataclass
class School:
    """A running server, its bank, and everybody's one-time code."""

    url: str
    folder: Path
    codes: dict[str, str] = field(default_factory=dict)

    def judge(self, *argv: str) -> None:
        """Run the command line on the server's data."""
        env = {**os.environ, "JUDGE_DATA": str(self.folder / "data"), "JUDGE_ACCOUNTS": "on"}
        subprocess.run([sys.executable, ROOT / "practice/judge.py", *argv], env=env, check=True, timeout=120)

    def add(self, *argv: str) -> None:
        """Run a command that writes codes, and keep these."""
        file = self.folder / f"codes-{len(self.codes)}.csv"
        self.judge(*argv, "--codes", str(file))
        rows = list(csv.reader(io.StringIO(file.read_text("utf-8-sig"))))
        self.codes |= {row[0]: row[2] for row in rows[1:]}

    @property
    def cases(self) -> Path:
        """The hidden cases of #189 in the bank served."""
        return self.folder / "bank/189-ms-attn-metadata/tests/test_hidden.py"


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    """A server with accounts, whose #189 is a copy that may be changed; 30 learners and an admin."""
    folder = tmp_path_factory.mktemp("school")
    shutil.copytree(ROOT / "problems/minisgl/189-ms-attn-metadata", folder / "bank/189-ms-attn-metadata")
    roster = folder / "class.csv"
    roster.write_bytes("\n".join(["学号,姓名", *(f"{n:04},学生{n}" for n in range(1, 31))]).encode("gb18030"))
    with serving(folder, JUDGE_ACCOUNTS="on", JUDGE_PROBLEMS=str(folder / "bank")) as url:
        school = School(url, folder)
        school.add("user", "add", "teacher", "admin")
        school.add("user", "import", str(roster))
        yield school


def log_in(page: Page, school: School, name: str) -> None:
    """Enter with a code and choose a password, or with the password chosen before."""
    page.goto(f"{school.url}/login")
    page.get_by_label("账号", exact=True).fill(name)
    code = school.codes.pop(name, None)
    page.get_by_label("密码或一次性登录码").fill(code or PASSWORD)
    page.get_by_role("button", name="登录").click()
    if code:
        page.get_by_label("新密码（至少 8 个字符）").fill(PASSWORD)
        page.get_by_label("再输一遍新密码").fill(PASSWORD)
        page.get_by_role("button", name="保存").click()
    expect(page.get_by_role("heading", name="题目")).to_be_visible()


def submit(page: Page, school: School, type_code: Callable[[Page, str], None], source: str) -> int:
    """Submit to #189 and wait for the verdict; the submission's number."""
    page.goto(f"{school.url}/problems/{SLUG}")
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    type_code(page, source)
    page.keyboard.press("ControlOrMeta+Shift+Enter")
    done = page.locator(".panel[data-status=done]")
    done.wait_for(timeout=120_000)
    return int(done.get_attribute("data-id") or 0)


def look(page: Page, name: str, scheme: Literal["light", "dark"] = "dark") -> None:
    """Keep a picture where one was asked for, and let axe look at the page."""
    page.emulate_media(color_scheme=scheme)
    assert violations(page) == [], f"{name}, {scheme}"
    if folder := os.environ.get("JUDGE_TEST_PICTURES"):
        page.screenshot(path=f"{folder}/{name}-{scheme}.png")


def in_both_languages(page: Page, name: str) -> None:
    """`look` in English, light, and Chinese, dark: colours do not change with the language."""
    for language, tag, scheme in (("English", "en", "light"), ("中文", "zh", "dark")):
        page.get_by_role("link", name=language).click()
        # A click does not wait for the page that it leads to.
        expect(page.locator("html")).to_have_attribute("lang", re.compile(f"^{tag}"))
        look(page, f"{name}-{tag}", scheme)


def check_deadline(teacher: Page, rows: Locator) -> None:
    """A deadline before everything leaves nothing to count; the link beside it takes it away."""
    teacher.get_by_label("截止时间").fill("2026-01-01T23:59")
    teacher.get_by_role("button", name="筛选").click()
    expect(teacher.get_by_text("只计到 2026-01-01 23:59 为止")).to_be_visible()
    expect(rows.nth(0)).not_to_contain_text("100")
    in_both_languages(teacher, "deadline")
    expect(teacher.get_by_label("截止时间")).to_have_value("2026-01-01T23:59")
    teacher.get_by_role("link", name="不设截止时间").click()
    expect(rows.nth(0)).to_contain_text("100 ✓")


def check_account(teacher: Page, school: School) -> None:
    """A suspended learner gets a new code, which is shown once."""
    teacher.get_by_role("link", name="0003").click()
    teacher.get_by_role("button", name="停用账号").click()
    expect(teacher.get_by_text("已停用，不能登录。")).to_be_visible()
    in_both_languages(teacher, "learner")
    teacher.get_by_role("button", name="换一个新登录码").click()
    code = teacher.locator("code.one-time")
    expect(code).to_be_visible()
    school.codes["0003"] = code.inner_text()
    look(teacher, "code")
    teacher.get_by_role("link", name="← 班级").click()


def check_closed(page: Page, school: School, other: int) -> None:
    """What a learner gets for another's number, the instructor's pages and the API."""
    get = page.request.get
    for path in (
        f"/api/submissions/{other}",
        f"/submissions/{other}/panel",
        f"/problems/{SLUG}?submission={other}",
    ):
        assert get(f"{school.url}{path}").status == 404, path
    for path in ("", "/export.csv", f"/submissions/{other}", f"/problems/{SLUG}", f"/learners/2/{SLUG}"):
        assert get(f"{school.url}/class{path}").status == 403, path
    token = page.locator(".account input[name=csrf]").get_attribute("value") or ""
    form: dict[str, Any] = {"csrf": token}
    assert page.request.post(f"{school.url}/class/submissions/{other}/rejudge", form=form).status == 403
    assert page.request.post(f"{school.url}/submissions/{other}/retry", form=form).status == 404
    assert page.request.post(f"{school.url}/api/submissions/{other}/retry", data={}).status == 404


def test_a_class_from_the_list_to_the_export(
    school: School,
    open_page: Callable[..., Page],
    problem: Problem,
    type_code: Callable[[Page, str], None],
) -> None:
    right, wrong, teacher = open_page(), open_page(), open_page()
    teacher.goto(school.url)
    in_both_languages(teacher, "login")
    log_in(right, school, "0001")
    solved = submit(right, school, type_code, problem.solution)
    log_in(wrong, school, "0002")
    failed = submit(wrong, school, type_code, problem.text("mutants/mask_top_left.py") or "")
    check_closed(wrong, school, solved)
    assert wrong.request.get(f"{school.url}/api/submissions/{failed}").status == 200

    log_in(teacher, school, "teacher")
    teacher.get_by_role("link", name="班级").click()
    rows = teacher.locator(".matrix tbody tr")
    expect(rows).to_have_count(30)
    expect(rows.nth(0)).to_contain_text("100 ✓")
    expect(rows.nth(1)).to_contain_text("×1 ·")
    in_both_languages(teacher, "class")
    check_deadline(teacher, rows)
    check_account(teacher, school)

    teacher.locator(".matrix thead").get_by_role("link", name=SLUG).click()
    expect(teacher.locator("[aria-labelledby=mistakes] tbody tr").first).to_contain_text("mask-top-left")
    in_both_languages(teacher, "problem")
    teacher.locator("[aria-labelledby=mistakes] tbody tr").first.get_by_role("link").click()
    expect(teacher.locator(".sheet .listing").first).to_contain_text("def prepare_metadata")
    expect(teacher.locator(".sheet .panel")).to_have_attribute("data-verdict", "WA")
    teacher.locator(".whole summary").first.click()
    in_both_languages(teacher, "work")

    with school.cases.open("a", encoding="utf-8") as cases:
        cases.write(CHANGED_CASE)
    teacher.goto(f"{school.url}/class/problems/{SLUG}")
    teacher.get_by_label("我要重判全部 2 次提交").check()
    teacher.get_by_role("button", name="重判这道题的全部提交").click()
    changed = teacher.locator("section:has(#rejudge) tbody tr")
    expect(changed).to_have_count(2, timeout=120_000)
    expect(changed.last).to_contain_text("AC 100")
    # Until the last one is judged, the page reads itself anew, under axe's eyes too.
    expect(teacher.get_by_label("我要重判全部 2 次提交")).to_be_visible(timeout=120_000)
    in_both_languages(teacher, "rejudged")
    changed.last.get_by_role("link").click()
    expect(teacher.locator(".judgements tbody tr")).to_have_count(2)
    in_both_languages(teacher, "judgements")
    teacher.get_by_role("button", name="重判").click()
    expect(teacher.locator(".judgements tbody tr")).to_have_count(3)
    expect(teacher.locator(".panel[data-status=done]")).to_be_visible(timeout=120_000)

    teacher.goto(f"{school.url}/class")
    with teacher.expect_download() as download:
        teacher.get_by_role("link", name="导出 CSV").click()
    content = Path(download.value.path()).read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    sheet = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert len(sheet) == 31
    assert (sheet[1][0], sheet[1][1]) == ("0001", "学生1")

    log_in(open_page(), school, "0003")
    teacher.get_by_role("link", name="teacher").click()
    in_both_languages(teacher, "password")
    teacher.get_by_role("button", name="退出").click()
    expect(teacher.get_by_role("button", name="登录")).to_be_visible()
