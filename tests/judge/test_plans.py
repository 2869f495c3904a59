"""How the database finds what a page asks for: never by a look at everybody's rows, which hold sources and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import event, text
from sqlalchemy.orm import Session

from judge import classroom, openings, overview, queued, scores, statistics, submissions, views
from judge.db import Database

LEARNERS: dict[str, Callable[[Session], object]] = {
    "standings": lambda session: scores.standings(session, 7),
    "standing": lambda session: scores.standings(session, 7, "tiny-add"),
    "opened": lambda session: openings.opened(session, 7, "tiny-add"),
    "list": lambda session: overview.read_rows(session, 7, []),
    "history": lambda session: views.history(session, 7, "tiny-add", "zh", 50),
    "waiting": lambda session: queued.count(session),
    "position": lambda session: queued.position(session, 7, "queued", False),
    "far behind": queued.far_behind,
    "waiting of one": lambda session: queued.count_of(session, 7),
    "mistakes": lambda session: classroom.mistakes(session, "tiny-add"),
    "verdicts": lambda session: classroom.verdicts(session, "tiny-add"),
    "changes": lambda session: classroom.changes(session, "tiny-add"),
    "judged": lambda session: submissions.judged_ids(session, "tiny-add"),
}
CLASS: dict[str, Callable[[Session], object]] = {
    "standings": lambda session: scores.class_standings(session, {7}),
    "counts": statistics.count,
}
LARGE = ("submissions", "judgements", "mistakes")


@pytest.fixture(scope="module")
def plan(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[Callable[[Session], object]], list[str]]]:
    """The steps by which SQLite answers what a function asks of a database without statistics."""
    database = Database(f"sqlite:///{tmp_path_factory.mktemp('plans') / 'judge.sqlite3'}")
    database.upgrade()

    def explain(ask: Callable[[Session], object]) -> list[str]:
        asked: list[tuple[str, object]] = []
        with database.read() as session:
            connection = session.connection()

            def note(
                _connection: object, _cursor: object, statement: str, values: object, *_: object
            ) -> None:
                asked.append((statement, values))

            event.listen(connection, "before_cursor_execute", note)
            ask(session)
            event.remove(connection, "before_cursor_execute", note)
            assert asked
            return [
                step
                for statement, values in asked
                for *_, step in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)  # type: ignore[arg-type]
            ]

    yield explain
    database.close()


@pytest.mark.parametrize("ask", LEARNERS.values(), ids=LEARNERS)
def test_no_page_looks_at_everybodys_rows(
    plan: Callable[[Callable[[Session], object]], list[str]], ask: Callable[[Session], object]
) -> None:
    steps = plan(ask)
    assert any(step.startswith("SEARCH") for step in steps)
    assert not [step for step in steps if step.startswith("SCAN") and step.split()[1].rstrip("_1") in LARGE]


@pytest.mark.parametrize(
    "ask", [*LEARNERS.values(), *CLASS.values()], ids=[*LEARNERS, *(f"class {name}" for name in CLASS)]
)
def test_what_counts_is_not_found_among_all_that_is_done(
    plan: Callable[[Callable[[Session], object]], list[str]], ask: Callable[[Session], object]
) -> None:
    """Nearly every judgement is done, so that index would be a look at all of them for each submission."""
    steps = plan(ask)
    inner = (
        steps[steps.index("CORRELATED SCALAR SUBQUERY 1") :]
        if "CORRELATED SCALAR SUBQUERY 1" in steps
        else []
    )
    assert not [step for step in inner if "ix_judgements_status" in step]


@pytest.mark.parametrize("ask", CLASS.values(), ids=CLASS)
def test_a_whole_class_is_read_from_indexes_alone(
    plan: Callable[[Callable[[Session], object]], list[str]], ask: Callable[[Session], object]
) -> None:
    steps = [step for step in plan(ask) if step.startswith(("SCAN", "SEARCH"))]
    assert steps and all("COVERING INDEX" in step for step in steps)


def test_the_plans_are_those_of_the_statements(
    plan: Callable[[Callable[[Session], object]], list[str]],
) -> None:
    steps = plan(lambda session: session.execute(text("SELECT report FROM judgements")).all())
    assert steps == ["SCAN judgements"]
