"""The site over a real service (database, dispatcher) whose judge is scripted by the submitted source."""

from __future__ import annotations

import dataclasses
import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from judge.config import Config
from judge.dispatch.base import Result, fault
from judge.jobs import Job
from judge.service import Service
from sandbox.contract import Limits
from web.app import create_app

BANK = Path(__file__).parent / "bank"
collect_ignore = ["bank"]

Case = dict[str, Any]
Submit = Callable[..., Any]


def a_case(name: str, verdict: str, **more: Any) -> Case:
    """A case's record as the grader reports it."""
    return {
        "name": name,
        "group": "example" if name == "add-small" else "hidden",
        "part": "add",
        "verdict": verdict,
        "points": 1 if verdict == "AC" else 0,
        "max_points": 1,
        "mistake": None,
        "time_s": 0.012,
        "memory_mib": 3.0,
        "ran": True,
        "facts": {},
        "detail": {},
        **more,
    }


WRONG_FACTS = {
    "kind": "wrong",
    "field": "out",
    "dtype": {"got": "int64", "want": "int32"},
    "values": {
        "bad_count": 3,
        "size": 8,
        "bad_share": 0.375,
        "first_bad": [0, 1],
        "worst": [1, 2],
        "tolerance": {"atol": 1e-5, "rtol": 2e-5},
    },
}
WRONG_DETAIL = {
    "got": "tensor([2, 4], dtype=int64)",
    "want": "tensor([3, 4], dtype=int32)",
    "first": {"index": [0, 1], "got": 2.0, "want": 3.0},
    "worst": {"index": [1, 2], "got": 20.0, "want": 9.0},
    "inputs": [{"call": "add", "args": ["1", "2"], "kwargs": {}}],
    "stdout": "<script>alert('stdout')</script>\n",
    "stdout_cut": True,
}
RAISED_FACTS = {"kind": "raised", "builtin": "ValueError", "lines": [2]}
RAISED_DETAIL = {
    "name": "<b>Odd</b>",
    "message": "<img src=x onerror=alert(1)>",
    "frames": [{"line": 2, "function": "add"}],
}
SCRIPTS: dict[str, list[Case]] = {
    "right": [a_case(name, "AC") for name in ("add-small", "add-large", "add-many")],
    "wrong": [
        a_case("add-small", "AC"),
        a_case("add-large", "WA", mistake="product", facts=WRONG_FACTS, detail=WRONG_DETAIL),
        a_case("add-many", "RE", facts=RAISED_FACTS, detail=RAISED_DETAIL),
    ],
    "slow": [
        a_case("add-small", "TLE", facts={"kind": "timeout", "waited": False}, time_s=3.1),
        a_case("add-large", "TLE", ran=False, facts={"kind": "not_run", "not_run": "TLE"}),
        a_case("add-many", "TLE", ran=False, facts={"kind": "not_run", "not_run": "TLE"}),
    ],
}
SLOW = Limits(2.0, 10.0, 20.0, 256)  # as of a machine on which the demo problem may take twice as long
NOT_LOADED = {"kind": "syntax", "entry": "", "line": 3, "facts": {}, "detail": {}}


class ScriptedJudge:
    """Judges by the first word of the source. ``gate`` closed, it stops before its second case; a fault is an SE."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.jobs: list[Job] = []
        self.scripts = dict(SCRIPTS)
        self.faults: list[str] = []  # of the problem's own files

    def __call__(self, job: Job, on_start: Callable[[int], None], on_case: Callable[[Case], None]) -> Result:
        self.jobs.append(job)
        word = job.source.decode(errors="replace").split()[0]
        if word == "fault":
            return fault(job, "internal")
        cases = self.scripts.get(word, [])
        cases = cases[:1] if job.mode == "run" else cases
        on_start(len(cases))
        for case in cases[:1]:
            on_case(case)
        self.gate.wait(10)
        for case in cases[1:]:
            on_case(case)
        return Result(report(job, cases) | ({"faults": self.faults} if self.faults else {}), None)


def report(job: Job, cases: list[Case]) -> dict[str, Any]:
    """A report over ``cases``; without any, one of a submission that does not parse."""
    bad = next((case["verdict"] for case in cases if case["verdict"] != "AC"), "AC" if cases else "CE")
    earned = sum(case["points"] for case in cases)
    return {
        "format": 1,
        "problem": 7,
        "slug": job.slug,
        "problem_version": "0" * 64,
        "mode": job.mode,
        "seed": job.seed,
        "verdict": bad,
        "score": round(100 * earned / max(1, len(cases)), 2),
        "limits": dataclasses.asdict(SLOW),
        "backend": "landlock",
        "protections": {},
        "versions": {"python": "3.12.1", "torch": "2.5.1"},
        "phases": {"queued_s": 0.001, "cell_s": 0.02, "load_s": 0.004, "cases_s": 0.12, "compare_s": 0.01},
        "load": None if cases else NOT_LOADED,
        "cases": cases,
    }


@pytest.fixture
def scripted() -> ScriptedJudge:
    return ScriptedJudge()


@pytest.fixture
def config(tmp_path: Path) -> Config:
    data = tmp_path / "data"
    data.mkdir()
    return Config(
        data, (BANK,), f"sqlite:///{data / 'judge.sqlite3'}", allowed_hosts=("judge.school",), lang="zh"
    )


@pytest.fixture
def service(config: Config, scripted: ScriptedJudge) -> Iterator[Service]:
    service = Service(config, judge=scripted)
    service.start()
    yield service
    scripted.gate.set()
    service.close()


@pytest.fixture
def app(service: Service, config: Config) -> Flask:
    app = create_app(service, config)
    app.testing = True
    return app


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def submit(client: FlaskClient, service: Service) -> Submit:
    """Submit a scripted word over the API and wait for its verdict."""

    def send(word: str, mode: str = "submit") -> dict[str, Any]:
        answer = client.post("/api/submissions", json={"problem": 7, "source": f"{word} = 1", "mode": mode})
        assert answer.status_code in (201, 202), answer.text
        submission_id = json.loads(answer.data)["id"]
        assert service.wait(submission_id, 10)
        found: dict[str, Any] = json.loads(client.get(f"/api/submissions/{submission_id}").data)
        return found

    return send


@pytest.fixture
def token(client: FlaskClient) -> str:
    """The token that the forms of this client's browser carry."""
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/problems/add-pair").text)
    assert found
    return found[1]
