"""The marks of the class matrix and what the export says for them: submitted but not judged, solution read first."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

from flask.testing import FlaskClient

from judge import openings
from judge.service import Service
from tests.web.accounts.conftest import Send, form_token
from tests.web.accounts.test_class_matrix import row_of
from tests.web.conftest import a_case


def exported(ines: FlaskClient) -> dict[str, list[str]]:
    """The entries of the export after the first four, by name; those of its head under ``""``."""
    head, *rows = csv.reader(io.StringIO(ines.get("/class/export.csv").data.decode("utf-8-sig")))
    return {"": head[4:], **{row[0]: row[4:] for row in rows}}


def test_what_waits_is_not_taken_for_nothing_sent(
    anna: FlaskClient, ines: FlaskClient, scripted: Any, service: Service
) -> None:
    scripted.gate.clear()
    sent = anna.post("/api/submissions", json={"problem": 7, "source": "right = 1", "mode": "submit"})
    page = ines.get("/class").text
    assert "… 还在评测 ×1 ·" in row_of(page, "anna")
    assert "通过 0 / 提交 1" in page
    assert "… not judged yet ×1 ·" in row_of(ines.get("/class?lang=en").text, "anna")
    assert exported(ines)["anna"] == ["", "1", ""]
    scripted.gate.set()
    assert service.wait(sent.get_json()["id"], 20)
    assert "100 ✓ ×1 ·" in row_of(ines.get("/class?lang=zh").text, "anna")


def test_a_fault_of_ours_is_not_taken_for_nothing_sent(
    anna: FlaskClient, ines: FlaskClient, send: Send, scripted: Any
) -> None:
    kept = scripted.scripts["right"]
    scripted.scripts["right"] = [a_case("add-small", "SE")]
    send(anna, "right")
    assert "! 评测出错 ×1 ·" in row_of(ines.get("/class").text, "anna")
    assert exported(ines)["anna"] == ["", "1", ""]
    scripted.scripts["right"] = kept
    send(anna, "right")
    assert "100 ✓ ×2 ·" in row_of(ines.get("/class").text, "anna")


def give_up(client: FlaskClient) -> None:
    """Read the solution."""
    form = {"csrf": form_token(client, "/problems/add-pair"), "confirm": "yes"}
    assert client.post("/problems/add-pair/give-up", data=form).status_code == 303


def test_who_read_the_solution_before_solving_is_marked(
    anna: FlaskClient, ben: FlaskClient, ines: FlaskClient, send: Send
) -> None:
    give_up(anna)
    assert row_of(ines.get("/class").text, "anna").endswith("未提交 † 通过前看过答案")
    send(anna, "right")
    send(ben, "right")
    page = ines.get("/class").text
    assert "100 ✓ † 通过前看过答案 ×1 ·" in row_of(page, "anna")
    assert "†" not in row_of(page, "ben")
    rows = exported(ines)
    assert rows[""][2] == "#7 add-pair 两数之和 通过前看过答案"
    assert re.fullmatch(r"[\d-]{10} [\d:]{5}", rows["anna"][2]) and rows["anna"][:2] == ["100", "1"]
    assert rows["ben"] == ["100", "1", ""]


def test_a_solution_read_after_solving_leaves_no_mark(
    anna: FlaskClient, ines: FlaskClient, send: Send, service: Service
) -> None:
    view = send(anna, "right")
    openings.give_up(service.database, view["user"], "add-pair")
    assert "†" not in row_of(ines.get("/class").text, "anna")
    assert exported(ines)["anna"] == ["100", "1", ""]


def test_the_key_explains_every_mark(ines: FlaskClient) -> None:
    for lang in ("zh", "en"):
        (key,) = re.findall(r'class="quiet key">(.*?)</p>', ines.get(f"/class?lang={lang}").text)
        assert all(f"“{mark}”" in key for mark in "–…!†")
