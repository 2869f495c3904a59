"""The scratch pane's requests: taken, told once known, escaped, only to who asked; the lines themselves run elsewhere."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from judge.problem import load_problem
from judge.service import Service
from judge.tryouts import Tryout, Tryouts
from tests.web.conftest import BANK
from web import example

CASE: dict[str, Any] = {
    "name": "scratch",
    "verdict": "RE",
    "ran": True,
    "time_s": 0.01,
    "memory_mib": 1.0,
    "facts": {"kind": "raised", "builtin": "ValueError", "lines": [2], "scratch_line": 3},
    "detail": {
        "name": "ValueError",
        "message": "<i>no</i>",
        "frames": [{"line": 2, "function": "add"}],
        "stdout": "<script>1</script>\n",
        "values": [
            {"line": 1, "text": "<b>7</b>", "type": "int"},
            {
                "line": 2,
                "text": "tensor(...)",
                "picture": {
                    "kind": "values",
                    "shape": [1, 2],
                    "dtype": "float32",
                    "origin": [0, 0],
                    "values": [[1.5, -2.0]],
                    "least": -2.0,
                    "most": 1.5,
                    "not_finite": 0,
                },
            },
            {"line": "no number", "text": "left out"},
        ],
        "values_left_out": 4,
    },
}


class Gate:
    """Runs nothing: waits until it is opened, then answers."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.asked: list[Tryout] = []

    def __call__(self, tryout: Tryout) -> dict[str, Any]:
        self.asked.append(tryout)
        self.open.wait(10)
        return {"verdict": "RE", "load": None, "limits": {}, "cases": [CASE]}


@pytest.fixture
def gate(service: Service) -> Iterator[Gate]:
    gate = Gate()
    service.tryouts = Tryouts(gate, 2)
    yield gate
    gate.open.set()
    service.tryouts.close()


def begin(client: FlaskClient, **more: Any) -> Any:
    body = {"problem": 7, "source": "def add(a, b):\n    raise", "lines": "7\nx\nadd(1, 2)", **more}
    return client.post("/api/scratch", json=body)


def test_lines_are_run_and_told_with_all_text_escaped(client: FlaskClient, gate: Gate) -> None:
    answer = begin(client)
    assert answer.status_code == 202
    waiting = client.get(answer.json["url"])
    assert 'data-status="running"' in waiting.text
    held = client.get(answer.json["url"], headers={"If-None-Match": waiting.headers["ETag"]})
    assert held.status_code == 304
    assert begin(client).status_code == 503  # one at a time
    gate.open.set()
    page = client.get(answer.json["url"], headers={"Prefer": "wait=2"}).text
    assert 'data-status="done"' in page and 'data-verdict="RE"' in page
    assert "&lt;b&gt;7&lt;/b&gt;" in page and "&lt;script&gt;" in page and "<b>7" not in page
    assert "add(1, 2)" in page and 'data-line="2"' in page and 'data-scratch-line="3"' in page
    assert "<svg" in page and "left out" not in page and "还有 4 个值" in page
    assert gate.asked[0].lines == "7\nx\nadd(1, 2)"


def test_nothing_is_stored(client: FlaskClient, gate: Gate) -> None:
    gate.open.set()
    token = begin(client).json["token"]
    assert client.get(f"/scratch/{token}/panel", headers={"Prefer": "wait=2"}).status_code == 200
    assert client.get("/api/problems/7/submissions").json == {"submissions": []}


@pytest.mark.parametrize(
    ("more", "status"), [({"lines": " \n"}, 400), ({"lines": 3}, 400), ({"lines": "x" * 20_000}, 413)]
)
def test_what_cannot_be_run_is_refused(
    client: FlaskClient, gate: Gate, more: dict[str, Any], status: int
) -> None:
    assert begin(client, **more).status_code == status
    assert gate.asked == []


def test_anothers_result_is_not_there(client: FlaskClient, service: Service, gate: Gate) -> None:
    gate.open.set()
    token = begin(client).json["token"]
    assert service.tryouts.find(10_000, token) is None
    assert client.get("/scratch/nobody/panel").status_code == 404


def test_the_example_is_a_call_of_every_entry_point() -> None:
    starter = "import torch\n\ndef f(x: torch.Tensor, n: int, /, k=2): ...\n\nclass C:\n    def __init__(self, size): ...\n"
    problem = load_problem(next(BANK.glob("*/7-add-pair")))
    made = dataclasses.replace(
        problem, entry_points=("f", "C", "missing"), files={"starter.py": starter.encode()}
    )
    lines = "x = ...  # torch.Tensor\nn = ...  # int\nf(x, n)"
    assert example.lines_of(made) == f"import torch\n\n{lines}\n\nsize = ...\nC(size)\n\nmissing()"
    broken = dataclasses.replace(made, files={"starter.py": b"def f("})
    assert example.lines_of(broken) == "f()\nC()\nmissing()"
    own = dataclasses.replace(made, files={**made.files, "scratch.txt": b"f(1, 2)\n"})
    assert example.lines_of(own) == "f(1, 2)"
