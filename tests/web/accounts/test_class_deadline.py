"""The class as of a deadline: what came later counts for nothing there, and is marked where it is listed."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from judge import openings
from judge.models import Opening, Submission
from judge.service import Service
from tests.web.accounts.conftest import Send
from tests.web.accounts.test_class_matrix import row_of

DUE = "2026-03-01T23:59"  # in the server's time zone
LAST_MOMENT = datetime(2026, 3, 1, 15, 59, 59, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _eight_hours_ahead(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def two(anna: FlaskClient, send: Send, service: Service) -> list[int]:
    """A wrong submission of the last second and a right one of the second after it."""
    ids = [send(anna, word)["id"] for word in ("wrong", "right")]
    with service.database.write() as session:
        for number, late in zip(ids, (False, True), strict=True):
            when = LAST_MOMENT + timedelta(seconds=late)
            session.execute(update(Submission).where(Submission.id == number).values(created_at=when))
    return ids


def exported(ines: FlaskClient, until: str) -> tuple[str, list[str]]:
    """The file's name, and the row of anna."""
    answer = ines.get("/class/export.csv", query_string={"until": until})
    rows = csv.reader(io.StringIO(answer.data.decode("utf-8-sig")))
    return answer.headers["Content-Disposition"], next(row for row in rows if row[0] == "anna")


@pytest.mark.usefixtures("two")
def test_the_last_minute_counts_and_the_next_second_does_not(ines: FlaskClient) -> None:
    page = ines.get(f"/class?until={DUE}").text
    assert row_of(page, "anna") == "anna 安娜 0 2026-03-01 23:59 33.3 ×1 · 03-01"
    assert "通过 0 / 提交 1" in page and "截止时间（UTC+08:00）" in page
    assert "只计到 2026-03-01 23:59 为止" in page
    assert "100 ✓" in row_of(ines.get("/class").text, "anna")
    assert "100 ✓" in row_of(ines.get("/class?until=2026-03-02T00:00").text, "anna")


@pytest.mark.usefixtures("two")
def test_before_anything_was_sent_nothing_is_there(ines: FlaskClient) -> None:
    assert row_of(ines.get("/class?until=2026-03-01T23:58").text, "anna") == "anna 安娜 0 — 未提交"


@pytest.mark.usefixtures("two")
def test_the_export_has_it_and_its_name_says_so(ines: FlaskClient) -> None:
    name, row = exported(ines, DUE)
    assert 'filename="class-until-2026-03-01-2359.csv"' in name
    assert row[2:6] == ["0", "2026-03-01 23:59", "33.3", "1"]
    assert f"/class/export.csv?until={DUE}" in ines.get(f"/class?until={DUE}").text


def test_the_work_shows_the_best_in_time_and_marks_what_came_late(
    ines: FlaskClient, two: list[int], service: Service
) -> None:
    page = ines.get(f"/class?until={DUE}").text
    link = next(
        part for part in page.split('"') if part.startswith("/class/learners/") and "add-pair" in part
    )
    assert link.endswith(f"/add-pair?until={DUE}")
    rows = ines.get(link).text.split('<ol class="past">')[1].split("</ol>")[0].split("<li")[1:]
    assert ["晚于截止时间" in row for row in rows] == [True, False]
    assert ["最高 33.3 分" in row for row in rows] == [False, True]
    assert all(f"until={DUE}" in row for row in rows)
    assert "晚于截止时间" not in ines.get(link.split("?")[0]).text


@pytest.mark.usefixtures("two")
def test_a_solution_read_afterwards_leaves_no_mark(
    ines: FlaskClient, anna: FlaskClient, service: Service
) -> None:
    user = anna.get("/api/submissions/1").json["user"]  # type: ignore[index]
    openings.give_up(service.database, user, "add-pair")
    with service.database.write() as session:
        session.execute(update(Opening).values(created_at=LAST_MOMENT + timedelta(seconds=1)))
    assert "†" not in row_of(ines.get(f"/class?until={DUE}").text, "anna")
    with service.database.write() as session:
        session.execute(update(Opening).values(created_at=LAST_MOMENT))
    assert "†" in row_of(ines.get(f"/class?until={DUE}").text, "anna")


@pytest.mark.parametrize(
    "until",
    ["tomorrow", "2026-13-01T00:00", "0001-01-01T00:00", "9999-12-31T23:59", "2026-03-01T23:59+99:00"],
)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_what_is_no_time_is_refused_and_says_how_to_write_it(
    ines: FlaskClient, until: str, lang: str
) -> None:
    for path in ("/class", "/class/export.csv"):
        answer = ines.get(path, query_string={"until": until, "lang": lang})
        assert answer.status_code == 400
        assert "2026-12-01T23:59" in answer.text


def test_an_empty_field_means_no_deadline(ines: FlaskClient) -> None:
    assert ines.get("/class?q=&until=").status_code == 200
