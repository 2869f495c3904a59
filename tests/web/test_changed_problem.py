"""An author saves a file of a problem while the server runs: the next load of the page shows it."""

from __future__ import annotations

import dataclasses
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from judge.config import Config
from judge.service import LOOK_EVERY_S, Service
from tests.web.conftest import BANK, ScriptedJudge
from web.app import create_app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The demo problem in a bank that may be written to."""
    return Path(shutil.copytree(BANK, tmp_path / "bank")) / "demo" / "7-add-pair"


@pytest.fixture
def client(config: Config, scripted: ScriptedJudge, folder: Path) -> Iterator[FlaskClient]:
    """A client of a server over that bank."""
    own = dataclasses.replace(config, problem_roots=(folder.parents[1],))
    service = Service(own, judge=scripted)
    service.start()
    yield create_app(service, own).test_client()
    service.close()


def test_a_saved_statement_shows_on_reload(client: FlaskClient, folder: Path) -> None:
    path = folder / "statement.zh.md"
    assert "崭新的一句" not in client.get("/problems/add-pair").text
    path.write_text(path.read_text(encoding="utf-8") + "\n崭新的一句。\n", encoding="utf-8")
    time.sleep(LOOK_EVERY_S)
    assert "崭新的一句" in client.get("/problems/add-pair").text


def test_a_new_folder_is_listed_and_a_broken_one_hides_no_other(client: FlaskClient, folder: Path) -> None:
    other = Path(shutil.copytree(folder, folder.with_name("8-new-pair")))
    toml = (other / "problem.toml").read_text(encoding="utf-8")
    said = toml.replace("number = 7", "number = 8").replace('"add-pair"', '"new-pair"')
    (other / "problem.toml").write_text(said, encoding="utf-8")
    time.sleep(LOOK_EVERY_S)
    assert "new-pair" in client.get("/").text
    (other / "problem.toml").write_text("number = ", encoding="utf-8")
    time.sleep(LOOK_EVERY_S)
    page = client.get("/").text
    assert "new-pair" not in page and "add-pair" in page
