"""The editor's help: what ty and ruff say of a text, what they may not see, and that a site without them works."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from judge.config import Config
from judge.problem import Problem, load_problem
from judge.service import Service
from sandbox.cell.kernel import landlock_abi
from tests.conftest import missing
from web import helper as helping
from web.app import create_app
from web.helper import Helper, available, completions, marks
from web.language_server import LanguageServer
from web.limits import Pace

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def helper() -> Iterator[Helper]:
    """Both servers, for all tests here."""
    if not available():
        missing("ty or ruff is not installed; run the set-up")
    helper = Helper()
    yield helper
    helper.close()


@pytest.fixture(scope="module")
def problem() -> Problem:
    """One whose submissions may import its support.py."""
    return load_problem(ROOT / "problems/minisgl/502-mx-write-before-read")


def asked(helper: Helper, problem: Problem, what: str, source: str) -> Any:
    """The answer at the end of ``source``; the first may have to wait for a busy machine."""
    lines = source.split("\n")
    for _ in range(10):
        answer = helper.ask(what, problem, 1, source, len(lines) - 1, len(lines[-1]))
        if answer is not None:
            return answer
    raise AssertionError("no answer")


def labels(answer: Any) -> list[str]:
    return [one[0] for one in answer["items"]]


def test_torch_and_the_problems_own_names_are_known(helper: Helper, problem: Problem) -> None:
    assert "softmax" in labels(asked(helper, problem, "complete", "import torch\ntorch.softm"))
    assert labels(asked(helper, problem, "complete", "import torch\ntorch.ones(2).vie"))[0] == "view"
    assert "attend" in labels(asked(helper, problem, "complete", "import support\nsupport."))
    assert "mine" in labels(asked(helper, problem, "complete", "def mine(): ...\n\nmi"))
    signature = asked(helper, problem, "signature", "import torch\ntorch.softmax(")["signatures"][0]
    assert signature["parameters"][:2] == ["input: Tensor", "dim: int"]
    assert "def softmax" in asked(helper, problem, "hover", "import torch\ntorch.softmax")["text"]


def test_what_is_asked_ahead_is_answered_for_its_own_text(helper: Helper, problem: Problem) -> None:
    """The editor asks about the name and, at once, about the name with its dot."""
    found: list[Any] = []
    text = "import torch\n\ntorch"
    for _ in range(5):
        ahead = threading.Thread(target=lambda: found.append(asked(helper, problem, "ahead", f"{text}.")))
        ahead.start()
        assert "torch" in labels(asked(helper, problem, "complete", text))
        ahead.join()
    assert len(found) == 5
    assert all("amp" in labels(one) for one in found)  # and not what the name alone begins


def test_mistakes_are_marked_and_nothing_of_this_project_is_seen(helper: Helper, problem: Problem) -> None:
    found = asked(helper, problem, "check", "import torch\nimport minisgl, judge\ntorch.softmx\nnobody\n")
    said = [(one[0], one[4], one[5]) for one in found]
    assert [(line, level) for line, level, _ in said] == [
        (1, "error"),
        (1, "error"),
        (2, "error"),
        (3, "error"),
    ]
    assert "`softmx`" in said[2][2] and not any("/" in text for _, _, text in said)


def test_right_solutions_have_no_error_marked(helper: Helper) -> None:
    for name in ("189-ms-attn-metadata", "193-ms-radix-cache"):
        one = load_problem(ROOT / "problems/minisgl" / name)
        assert [mark for mark in asked(helper, one, "check", one.solution) if mark[4] == "error"] == []


def test_code_is_laid_out_and_never_executed(helper: Helper, problem: Problem, tmp_path: Path) -> None:
    source = f"open({str(tmp_path / 'ran')!r}, 'w')\nx=1\n"
    assert "x = 1" in asked(helper, problem, "format", source)[0][4]
    asked(helper, problem, "check", source)
    assert not (tmp_path / "ran").exists()


def test_a_server_that_dies_or_idles_comes_back(
    helper: Helper, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.language_server.REST_S", 0.0)
    asked(helper, problem, "hover", "len")
    before = helper.ty.pid
    helper.ty.close()
    assert helper.ty.pid is None
    asked(helper, problem, "hover", "len")
    assert helper.ty.pid not in (None, before)
    monkeypatch.setattr(helper.ty, "_idle_s", 0.05)
    helper.ty.close()
    helper.ask("hover", problem, 1, "len", 0, 2)
    deadline = time.monotonic() + 20
    while helper.ty.pid is not None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert helper.ty.pid is None


def test_what_says_no_lsp_is_no_help(tmp_path: Path) -> None:
    server = LanguageServer(["/bin/echo", "Content-Length: 2\r\n\r\n[]"], tmp_path, [], 512)
    assert server.ask("file:///x.py", "x", "textDocument/hover") is None
    server.close()


def test_a_server_that_does_not_read_holds_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.language_server.ANSWER_S", 0.5)
    server = LanguageServer(["/bin/sleep", "600"], tmp_path, [], 512)
    text = "x" * 200_000  # more than a pipe holds
    asking = [
        threading.Thread(target=server.ask, args=["file:///x.py", text, "textDocument/hover"])
        for _ in range(4)
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(30)
    assert not any(thread.is_alive() for thread in asking)
    server.close()
    assert server.pid is None


def test_those_who_ask_first_at_once_share_one_folder(helper: Helper, problem: Problem) -> None:
    helper.close()
    places: list[Path] = []
    asking = [threading.Thread(target=lambda: places.append(helper._place(problem))) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(places) == 8 and len(set(places)) == 1 and places[0].is_dir()


def test_who_is_confined_reads_what_it_was_given_and_nothing_else(tmp_path: Path) -> None:
    if not landlock_abi():
        missing("this kernel has no Landlock")
    (tmp_path / "given").mkdir()
    given, other = tmp_path / "given/a", tmp_path / "other"
    given.write_text("given")
    other.write_text("secret")
    command = [sys.executable, "-P", "-m", "web.confined", "512", str(given.parent), "--", "/bin/cat"]
    ran = subprocess.run(
        [*command, str(given), str(other)], capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)}
    )
    assert (ran.stdout, ran.returncode) == ("given", 1) and "denied" in ran.stderr


def test_answers_are_trimmed() -> None:
    items = [{"label": name} for name in ("_own", "Shape", "shape", "reshape", "x")]
    items.append({"label": "shapely", "additionalTextEdits": [{}]})
    assert labels(completions({"items": items}, "sha")) == ["shape", "Shape", "reshape"]
    assert labels(completions(items, "_")) == ["_own"]
    span = {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 2}}
    message = "Cannot resolve `x`\n\ninfo: searched /secret"
    one = {"range": span, "severity": 1, "code": "unresolved-import", "message": message}
    assert marks({"items": [one, {**one, "code": "invalid-return-type"}]}) == [
        [0, 1, 0, 2, "error", "Cannot resolve `x`"]
    ]


BODY = {"problem": 7, "what": "hover", "source": "x", "line": 0, "column": 1}


def test_requests_are_checked_and_paced(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Helper, "ask", lambda *_: {"text": "hovered"})
    client.application.extensions["helper"] = Helper()
    client.application.extensions["help-pace"] = Pace(4, 60)
    assert client.post("/api/help", json=BODY).json == {"text": "hovered"}
    for more in ({"what": "run"}, {"line": -1}, {"column": 1 << 40}, {"source": 3}):
        assert client.post("/api/help", json={**BODY, **more}).status_code == 400
    assert client.post("/api/help", json={**BODY, "source": "x" * (200 << 10)}).status_code == 204
    answers = [client.post("/api/help", json=BODY).status_code for _ in range(3)]
    assert answers == [200, 200, 429]


def test_help_can_be_switched_off_and_may_be_missing(
    service: Service, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = create_app(service, replace(config, editor_help=False)).test_client()
    assert client.post("/api/help", json=BODY).status_code == 404
    assert '"help": ""' in client.get("/problems/add-pair").text
    monkeypatch.setattr("web.editor_help.available", lambda: False)
    assert create_app(service, config).extensions["helper"] is None
    monkeypatch.undo()
    app = create_app(service, config)
    app.extensions["helper"] = Helper()
    plain = replace(service.catalogue.find("7"), plain_editor=True)
    monkeypatch.setattr("web.editor_help.find_problem", lambda _: plain)
    assert app.test_client().post("/api/help", json=BODY).status_code == 404
    assert helping.program("ty").name == "ty"
