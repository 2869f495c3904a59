"""A real server on a free port, and headless Chromium that must meet no console error on it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from werkzeug.serving import make_server

from judge.config import Config
from judge.dispatch.base import JudgeJob, Result, fault
from judge.jobs import Job
from judge.problem import Problem, load_problem
from judge.service import Service
from tests.conftest import missing
from tests.web.conftest import ScriptedJudge
from web.app import STATIC, create_app

ROOT = Path(__file__).parents[2]
START_LIMIT_S = 120
JUDGE_LIMIT_MS = 120_000  # a full judgement on a busy machine

expect.set_options(timeout=30_000)  # the machine may be busy judging


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker("browser")
            item.add_marker(pytest.mark.timeout(900))  # of which the first test also starts the server


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def no_judge(job: Job, on_start: Callable[[int], None], on_case: Callable[[dict[str, Any]], None]) -> Result:
    return fault(job, "internal")


@contextmanager
def serving_lightly(
    data: Path, static: Path = STATIC, *, editor_help: bool = False, judge: JudgeJob = no_judge
) -> Iterator[str]:
    """The address of the site within this process, without a sandbox: each judgement ends at once, in SE by default."""
    database = f"sqlite:///{data / 'judge.sqlite3'}"
    config = Config(data, (ROOT / "problems",), database, lang="zh", editor_help=editor_help)
    service = Service(config, judge=judge)
    service.start()
    app = create_app(service, config, static)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        service.close()
        if helper := app.extensions["helper"]:
            helper.close()


@pytest.fixture
def light_url(tmp_path: Path) -> Iterator[str]:
    """`serving_lightly` on an empty data folder."""
    with serving_lightly(tmp_path) as url:
        yield url


@pytest.fixture
def scripted_url(tmp_path: Path) -> Iterator[str]:
    """As `light_url`, judged by the first word of the source: right, wrong, slow."""
    with serving_lightly(tmp_path, judge=ScriptedJudge()) as url:
        yield url


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[str]:
    """The address of `python -m web`, run on a data folder below ``folder`` with whatever sandbox is to be had."""
    if not (STATIC / "vendor" / "bundle.json").is_file():
        missing("the front-end bundle is not built; run python web/bundle/build.py")
    port, log = free_port(), folder / "log"
    env = {**os.environ, "JUDGE_DATA": str(folder / "data"), "JUDGE_PORT": str(port), "JUDGE_LANG": "zh"}
    with log.open("w") as out:
        server = subprocess.Popen(
            [sys.executable, "-m", "web"], cwd=ROOT, env={**env, **settings}, stdout=out, stderr=out
        )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{url}/healthz", server, log)
        yield url
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0, "told to stop, it has to end by itself and in order"


@pytest.fixture(scope="session")
def judge_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server for one user, on an empty data folder."""
    with serving(tmp_path_factory.mktemp("server")) as url:
        yield url


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=10):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.2)
    pytest.fail(f"the server did not start: {log.read_text()[-2000:]}")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Debian's Chromium, without its own windows where that is installed; started as root it has no sandbox of its own."""
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if chromium is None:
        missing("chromium is not installed")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {**browser_type_launch_args, "executable_path": chromium, "args": flags}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "locale": "zh-CN", "viewport": {"width": 1440, "height": 900}}


@pytest.fixture
def open_page(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[Callable[..., Page]]:
    """Open a page in a context of its own; at the end, no such page may have met an error or a CSP violation."""
    errors: list[str] = []
    contexts: list[BrowserContext] = []

    def open_one(expected: str = "\0", **context: Any) -> Page:
        """``expected``: part of the error that the browser logs of a request which the test makes fail."""
        contexts.append(browser.new_context(**{**browser_context_args, **context}))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: errors.append(f"exception: {error}"))
        page.on(
            "console",
            lambda line: (
                errors.append(line.text) if line.type == "error" and expected not in line.text else None
            ),
        )
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture(scope="session")
def problem() -> Problem:
    return load_problem(ROOT / "problems/minisgl/189-ms-attn-metadata")


@pytest.fixture
def workspace(judge_url: str, open_page: Callable[..., Page], problem: Problem) -> Page:
    """#189 in Chinese, its editor ready."""
    page = open_page()
    page.goto(f"{judge_url}/problems/{problem.slug}")
    expect(page.locator("html.ready .monaco .view-lines")).to_be_visible()
    return page


def expect_code(page: Page, source: str) -> None:
    """Wait until the editor holds ``source``: the page itself shows visible lines only."""
    value = "document.querySelector('.monaco').editor.getValue({lineEnding: '\\n'})"
    deadline = time.monotonic() + 30
    while (found := page.evaluate(value)) != source and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert found == source


@pytest.fixture
def type_code() -> Callable[[Page, str], None]:
    """Paste a source into the editor in place of what is there, as the keyboard does it."""

    def type_it(page: Page, source: str) -> None:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.evaluate("text => navigator.clipboard.writeText(text)", source)
        page.locator(".monaco").click(position={"x": 200, "y": 60})
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.press("ControlOrMeta+V")
        expect_code(page, source)

    return type_it


@pytest.fixture
def verdict() -> Callable[[Page, str], None]:
    """Wait until the panel shows a final verdict, and compare it."""

    def wait_for_verdict(page: Page, wanted: str) -> None:
        done = page.locator(".panel[data-status=done]")
        done.wait_for(timeout=JUDGE_LIMIT_MS)
        assert done.get_attribute("data-verdict") == wanted

    return wait_for_verdict
