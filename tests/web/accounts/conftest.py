"""The site with accounts: a learner, another learner and an instructor, each with a browser of their own."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from judge.config import Config
from judge.models import User
from judge.passwords import hash_code, hash_password
from judge.service import Service

PASSWORD = "correct horse"
HASH = hash_password(PASSWORD, "")
CODE = "K7QF-3MXR-9TWD"
Send = Callable[..., dict[str, Any]]


@pytest.fixture
def config(tmp_path: Path) -> Config:
    data = tmp_path / "data"
    data.mkdir()
    bank = Path(__file__).parents[1] / "bank"
    config = Config(data, (bank,), f"sqlite:///{data / 'judge.sqlite3'}", lang="zh")
    return dataclasses.replace(config, accounts=True, level="diagnosis")


@pytest.fixture
def app(app: Flask, service: Service) -> Flask:
    """The parent's application, its people in the database: anna and ben learn, ines teaches, newt has a code."""
    people = [("anna", "安娜", "learner"), ("ben", "=1+1", "learner"), ("ines", "", "instructor")]
    with service.database.write() as session:
        for name, full_name, role in people:
            session.add(User(name=name, full_name=full_name, role=role, password_hash=HASH))
        session.add(User(name="newt", full_name="", role="learner", code_hash=hash_code(CODE)))
    return app


def form_token(client: FlaskClient, path: str) -> str:
    """The token of the forms on a page."""
    found = re.search(r'name="csrf" value="([^"]+)"', client.get(path).text)
    assert found, path
    return found[1]


def enter(app: Flask, name: str, secret: str = PASSWORD) -> FlaskClient:
    """A browser that logged in."""
    client = app.test_client()
    form = {"csrf": form_token(client, "/login"), "name": name, "password": secret}
    answer = client.post("/login", data=form)
    assert answer.status_code == 303, answer.text
    return client


@pytest.fixture
def anna(app: Flask) -> FlaskClient:
    return enter(app, "anna")


@pytest.fixture
def ben(app: Flask) -> FlaskClient:
    return enter(app, "ben")


@pytest.fixture
def ines(app: Flask) -> FlaskClient:
    return enter(app, "ines")


@pytest.fixture
def send(service: Service) -> Send:
    """Submit a scripted word as somebody and wait for its verdict."""

    def send_it(client: FlaskClient, word: str, mode: str = "submit") -> dict[str, Any]:
        body = {"problem": 7, "source": f"{word} = 1", "mode": mode}
        submission_id = json.loads(client.post("/api/submissions", json=body).data)["id"]
        assert service.wait(submission_id, 20)
        found: dict[str, Any] = json.loads(client.get(f"/api/submissions/{submission_id}").data)
        return found

    return send_it
