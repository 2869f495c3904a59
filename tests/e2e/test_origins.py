"""A page of another origin tries to run code here, in every way a browser offers; nothing runs."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import BrowserContext, Page

from judge.problem import Problem

ATTACK = """<!doctype html><title>another origin</title>
<form id="plain" method="post" enctype="text/plain" action="{judge}/api/submissions">
  <input name='{{"problem": 189, "mode": "run", "source": "' value='"}}'></form>
<form id="coded" method="post" action="{judge}/problems/ms-attn-metadata">
  <input name="source" value="x = 1"><input name="mode" value="run"><input name="csrf" value="guess"></form>
"""
FETCHES = """async (judge) => {
  const body = JSON.stringify({problem: 189, source: 'x = 1', mode: 'run'});
  const tries = [
    {mode: 'no-cors', headers: {'Content-Type': 'text/plain'}},
    {mode: 'cors', headers: {'Content-Type': 'text/plain'}},
    {mode: 'cors', headers: {'Content-Type': 'application/json'}},
    {mode: 'no-cors', credentials: 'include', headers: {'Content-Type': 'application/json'}},
  ];
  const seen = [];
  for (const one of tries) {
    try {
      const answer = await fetch(judge + '/api/submissions', {method: 'POST', body, ...one});
      seen.push(answer.type + ' ' + answer.status);
    } catch (error) { seen.push('refused'); }
  }
  navigator.sendBeacon(judge + '/api/submissions', body);
  return seen;
}"""


@pytest.fixture(scope="module")
def other_port(judge_url: str) -> Iterator[int]:
    """The port of a server that plays the foreign site."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = ATTACK.format(judge=judge_url).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def submissions(judge_url: str, page: Page, problem: Problem) -> Callable[[], int]:
    """How many submissions there are so far."""

    def count() -> int:
        answer = page.request.get(f"{judge_url}/api/problems/{problem.slug}/submissions")
        return len(json.loads(answer.text())["submissions"])

    return count


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])  # cross-site, and same-site on another port
@pytest.mark.parametrize("form", ["plain", "coded"])
def test_its_forms_run_nothing(
    judge_url: str, page: Page, other_port: int, submissions: Callable[[], int], host: str, form: str
) -> None:
    page.goto(f"{judge_url}/problems/ms-attn-metadata")  # so that the judge's cookie is there to be misused
    before = submissions()
    page.goto(f"http://{host}:{other_port}/")
    with page.expect_navigation() as answer:
        page.evaluate(f"document.getElementById('{form}').submit()")
    assert answer.value.status in (403, 415)
    assert submissions() == before


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_its_scripts_run_and_read_nothing(
    judge_url: str, page: Page, other_port: int, submissions: Callable[[], int], host: str
) -> None:
    page.goto(f"{judge_url}/problems/ms-attn-metadata")
    before = submissions()
    page.goto(f"http://{host}:{other_port}/")
    seen = page.evaluate(FETCHES, judge_url)
    assert set(seen) <= {"refused", "opaque 0"}
    page.wait_for_timeout(300)
    assert submissions() == before


def test_it_cannot_frame_the_workspace(judge_url: str, page: Page, other_port: int) -> None:
    page.goto(f"http://localhost:{other_port}/")
    page.evaluate(
        """(judge) => new Promise((done) => {
          const frame = document.createElement('iframe');
          frame.src = judge + '/problems/ms-attn-metadata';
          frame.addEventListener('load', done);
          document.body.append(frame);
        })""",
        judge_url,
    )
    assert page.frames[1].locator("#source").count() == 0


def test_a_name_that_was_pointed_at_this_machine_gets_nothing(
    judge_url: str, new_context: Callable[..., BrowserContext]
) -> None:
    answer = new_context().new_page().request.get(f"{judge_url}/", headers={"Host": "rebound.example"})
    assert answer.status == 421
