"""The class as a matrix of learners x problems, and its export."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event, insert

from judge.models import Judgement, Submission, User, now
from judge.service import Service
from tests.web.accounts.conftest import Send, enter

LEARNERS, PROBLEMS = 500, 30


def row_of(page: str, name: str) -> str:
    """A learner's row, tags taken out."""
    found = re.search(
        rf'<th scope="row" class="who"><a href="[^"]*"><span translate="no">{name}</span>.*?</tr>',
        page,
        re.DOTALL,
    )
    assert found, name
    return " ".join(re.sub(r"<[^>]*>", " ", found[0]).split())


def test_best_score_attempts_and_last_activity_are_shown(
    anna: FlaskClient, ines: FlaskClient, send: Send
) -> None:
    send(anna, "wrong")
    send(anna, "slow")
    page = ines.get("/class").text
    assert re.fullmatch(r"anna 安娜 0 [\d-]{10} [\d:]{5} 33\.3 ×2 · \d\d-\d\d", row_of(page, "anna"))
    assert row_of(page, "ben") == "ben =1+1 0 — 未提交"
    assert "通过 0 / 提交 1" in page


def test_runs_are_activity_but_no_attempt(anna: FlaskClient, ines: FlaskClient, send: Send) -> None:
    send(anna, "right", mode="run")
    assert "– ×0 ·" in row_of(ines.get("/class").text, "anna")


def test_an_entry_leads_to_the_learners_work(anna: FlaskClient, ines: FlaskClient, send: Send) -> None:
    send(anna, "right")
    link = re.search(r'href="(/class/learners/\d+/add-pair)"', ines.get("/class").text)
    assert link
    assert "right = 1" in ines.get(link[1]).text


def test_instructors_are_no_learners(ines: FlaskClient, send: Send) -> None:
    send(ines, "right")
    page = ines.get("/class").text
    assert ">ines</span></th>" not in page and ">local<" not in page
    assert "3 名学生，0 名有提交" in page


def test_learners_are_found_by_name(ines: FlaskClient) -> None:
    page = ines.get("/class?q=安").text
    assert "anna" in page and 'translate="no">ben<' not in page
    assert "没有符合条件的学生" in ines.get("/class?q=zzz").text


def test_it_is_in_english_too(ines: FlaskClient) -> None:
    assert "Learners: 3, active: 0" in ines.get("/class?lang=en").text


def test_it_is_read_and_nothing_else(ines: FlaskClient) -> None:
    assert ines.post("/class").status_code == 403
    form = {"csrf": "x"}
    assert ines.post("/class/export.csv", data=form).status_code == 403


def test_the_export_opens_in_a_spreadsheet_and_calculates_nothing(
    anna: FlaskClient, ines: FlaskClient, send: Send
) -> None:
    send(anna, "wrong")
    answer = ines.get("/class/export.csv")
    assert answer.mimetype == "text/csv"
    assert re.fullmatch(r'attachment; filename="class-[\d-]{10}\.csv"', answer.headers["Content-Disposition"])
    assert answer.data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(answer.data.decode("utf-8-sig"))))
    assert rows[0][:2] == ["账号", "姓名"] and rows[0][4].startswith("#7 add-pair")
    anna_row, ben_row, _ = rows[1:]
    assert (anna_row[0], anna_row[4:]) == ("anna", ["33.3", "1", ""])
    assert ben_row == ["ben", "'=1+1", "0", "", "", "", ""]


@contextmanager
def counted_queries(service: Service) -> Iterator[list[str]]:
    """What this thread reads from the database meanwhile."""
    asked: list[str] = []
    here = threading.get_ident()

    def note(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if threading.get_ident() == here and statement.startswith("SELECT"):
            asked.append(statement)

    event.listen(service.database.engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(service.database.engine, "before_cursor_execute", note)


def fill(service: Service) -> None:
    """A class of 500 that sent something to each of 30 problems."""
    with service.database.write() as session:
        people = [{"name": f"s{n:03}", "role": "learner", "full_name": f"学生 {n}"} for n in range(LEARNERS)]
        ids = session.scalars(insert(User).returning(User.id), people).all()
        pairs = [(user_id, slug) for user_id in ids for slug in range(PROBLEMS)]
        sent = [
            {"user_id": user_id, "slug": f"p{slug:02}", "number": slug, "mode": "submit", "source": b"x", "created_at": now()}
            for user_id, slug in pairs
        ]  # fmt: skip
        submission_ids = session.scalars(insert(Submission).returning(Submission.id), sent).all()
        judged = [
            {
                "submission_id": number,
                "status": "done",
                "verdict": "WA",
                "score": 50.0,
                "seed": "",
                "report": "{}",
            }
            for number in submission_ids
        ]
        session.execute(insert(Judgement), judged)


@pytest.fixture
def large(app: Flask, service: Service) -> FlaskClient:
    fill(service)
    (problem,) = service.catalogue.all()
    copies = [dataclasses.replace(problem, slug=f"p{n:02}", number=n) for n in range(PROBLEMS)]
    service.catalogue = SimpleNamespace(all=lambda: copies, broken=[])  # type: ignore[assignment]
    return enter(app, "ines")


def test_a_class_of_500_takes_few_queries(large: FlaskClient, service: Service) -> None:
    with counted_queries(service) as asked:
        began = time.process_time()
        page = large.get("/class").text
        print(f"{time.process_time() - began:.2f} s, {len(page) >> 10} KiB")
    assert len(asked) <= 6
    assert page.count("<b>50</b>") == LEARNERS * PROBLEMS
    with counted_queries(service) as asked:
        assert len(large.get("/class/export.csv").data.splitlines()) == LEARNERS + 4
    assert len(asked) <= 6
