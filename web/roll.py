"""The class as the instructor's pages and the CSV have it: learners by problems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import request

from judge import classroom
from judge.classroom import Learner
from judge.problem import Problem
from judge.scores import Standing
from web.current import service
from web.errors import Refused
from web.i18n import t
from web.problems import title_of
from web.results import points

FIRST_YEAR, LAST_YEAR = 1970, 2999  # a time zone's offset leads past either end of Python's calendar


@dataclass(frozen=True)
class Column:
    """One problem of the matrix."""

    problem: Problem
    title: str
    tried: int
    solved: int


@dataclass(frozen=True)
class Deadline:
    """A minute up to whose end what was sent counts; ``Deadline(None)``: everything does."""

    at: datetime | None

    @property
    def before(self) -> datetime | None:
        """The moment from which on nothing counts."""
        return None if self.at is None else self.at + timedelta(minutes=1)

    @property
    def text(self) -> str | None:
        """As the field of a form and an address have it, in the server's time zone."""
        return None if self.at is None else f"{self.at:%Y-%m-%dT%H:%M}"

    def missed_by(self, sent_at: str) -> bool:
        """Whether something sent at that moment (ISO) came too late."""
        return self.before is not None and datetime.fromisoformat(sent_at) >= self.before


def asked_deadline() -> Deadline:
    """What ``?until=`` asks for, in the server's time zone if it names none. Refused with 400 for what is no time."""
    asked = request.args.get("until", "").strip()
    if not asked:
        return Deadline(None)
    try:
        at = datetime.fromisoformat(asked)
    except ValueError:
        raise Refused("bad-until", 400) from None
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise Refused("bad-until", 400)
    return Deadline(at.replace(second=0, microsecond=0).astimezone())


def class_list(before: datetime | None = None) -> list[Learner]:
    """Every learner with their standings, as of a moment if one is given."""
    with service().database.read() as session:
        return classroom.learners(session, before)


def columns(everybody: list[Learner]) -> list[Column]:
    """Every problem with how many learners tried and solved it."""
    found = []
    for problem in service().catalogue.all():
        standings = [one.standings[problem.slug] for one in everybody if problem.slug in one.standings]
        tried, solved = sum(one.sent > 0 for one in standings), sum(one.solved for one in standings)
        found.append(Column(problem, title_of(problem), tried, solved))
    return found


def sheet(everybody: list[Learner], problems: list[Column]) -> Iterator[list[object]]:
    """The rows of the CSV, headings first: score and number of each problem, then when solutions were read."""
    labels = [f"#{one.problem.number} {one.problem.slug} {one.title}" for one in problems]
    head: list[object] = [t("class.name"), t("class.full-name"), t("class.solved"), t("class.last")]
    for label in labels:
        head += [f"{label} {t('class.best')}", f"{label} {t('class.attempts')}"]
    yield head + [f"{label} {t('class.saw-solution')}" for label in labels]
    for learner in everybody:
        yield _row(learner, [one.problem.slug for one in problems])


def _row(learner: Learner, slugs: list[str]) -> list[object]:
    """An empty score where none counts, and no number where nothing was submitted."""
    row: list[object] = [learner.name, learner.full_name, learner.solved, _minute(learner.last_at)]
    for slug in slugs:
        standing: Standing | None = learner.standings.get(slug)
        row.append(points(standing.best_score) if standing and standing.attempts else "")
        row.append(standing.sent if standing and standing.sent else "")
    return row + [_minute(learner.gave_up.get(slug)) for slug in slugs]


def _minute(moment: datetime | None) -> str:
    """A moment as a spreadsheet reads it; empty where there is none."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else ""
