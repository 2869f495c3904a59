"""What an instructor looks at: a class's standings, its mistakes, and what a rejudge changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased, defer

from judge import openings
from judge.models import Judgement, Mistake, Submission, User
from judge.scores import Standing, class_standings, counted, sent_before
from judge.submissions import UNSCORED


@dataclass(frozen=True)
class Learner:
    """One row of the class."""

    id: int
    name: str
    full_name: str
    standings: dict[str, Standing]  # by slug; only of what was sent
    gave_up: dict[str, datetime]  # by slug; when they read a solution that was not their own yet

    @property
    def last_at(self) -> datetime | None:
        """The learner's last submission or run."""
        return max((one.last_at for one in self.standings.values() if one.last_at), default=None)

    @property
    def solved(self) -> int:
        """How many problems the learner solved."""
        return sum(one.solved for one in self.standings.values())


@dataclass(frozen=True)
class Spread:
    """How far a mistake or a verdict is spread among learners, in submissions that count."""

    key: str
    learners: int
    submissions: int
    example: int  # the newest submission that has it


class Best(NamedTuple):
    """The submission that makes a learner's best score."""

    id: int
    score: float


@dataclass(frozen=True)
class Change:
    """A submission that was judged more than once, by its last two judgements."""

    submission_id: int
    user_id: int
    name: str
    full_name: str
    before: Judgement
    after: Judgement

    @property
    def failed(self) -> bool:
        """Whether the last judgement ended in a fault of ours: then it says nothing, and the one before it counts."""
        return self.after.verdict in UNSCORED

    @property
    def differs(self) -> bool:
        """Whether the last judgement is there and says something else."""
        said = [(one.verdict, one.score) for one in (self.before, self.after)]
        return self.after.status == "done" and not self.failed and said[0] != said[1]


def learners(session: Session, before: datetime | None = None) -> list[Learner]:
    """Every learner by name with their standings, also as of a moment; a few queries, however large the class."""
    people = session.execute(
        select(User.id, User.name, User.full_name).where(User.role == "learner").order_by(User.name)
    ).all()
    by_user: dict[int, dict[str, Standing]] = {person.id: {} for person in people}
    for (user_id, slug), standing in class_standings(session, by_user.keys(), before).items():
        by_user[user_id][slug] = standing
    gave_up: dict[int, dict[str, datetime]] = {person.id: {} for person in people}
    for (user_id, slug), when in openings.class_given_up(session).items():
        in_time = before is None or when < before
        if in_time and user_id in gave_up and not _solved_before(by_user[user_id].get(slug), when):
            gave_up[user_id][slug] = when
    return [
        Learner(person.id, person.name, person.full_name, by_user[person.id], gave_up[person.id])
        for person in people
    ]


def person(session: Session, user_id: int) -> User | None:
    """Anybody's row by id."""
    return session.get(User, user_id)


def mistakes(session: Session, slug: str) -> list[Spread]:
    """The mistakes learners made at a problem, those of most learners first."""
    named = select(Mistake.key).join(Judgement, Judgement.id == Mistake.judgement_id)
    return _spread(session, named, Mistake.key, slug)


def verdicts(session: Session, slug: str) -> list[Spread]:
    """The verdicts of learners' submissions to a problem, those of most learners first."""
    return _spread(session, select(Judgement.verdict), Judgement.verdict, slug)


def _spread(session: Session, keys: Select[Any], key: InstrumentedAttribute[Any], slug: str) -> list[Spread]:
    learners = func.count(Submission.user_id.distinct())
    rows = session.execute(
        keys.add_columns(learners, func.count(), func.max(Submission.id))
        .join(Submission, Submission.id == Judgement.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(Submission.slug == slug, User.role == "learner", counted())
        .group_by(key)
        .order_by(learners.desc(), func.count().desc(), key)
    )
    return [Spread(*row) for row in rows]


def best(session: Session, user_id: int, slug: str, before: datetime | None = None) -> Best | None:
    """The submission that makes a learner's best score at a problem, the first of several; None where nothing counts.

    ``before``: of those sent before that moment.
    """
    found = select(Submission.id, Judgement.score).join(Judgement).where(counted())
    found = found.where(Submission.user_id == user_id, Submission.slug == slug, *sent_before(before))
    row = session.execute(found.order_by(Judgement.score.desc(), Submission.id).limit(1)).first()
    return None if row is None else Best(row.id, row.score or 0.0)


def sent(session: Session, user_id: int, slug: str) -> int:
    """How many submissions and runs a learner sent to a problem."""
    theirs = [Submission.user_id == user_id, Submission.slug == slug]
    return session.scalar(select(func.count()).select_from(Submission).where(*theirs)) or 0


def judgements(session: Session, submission_id: int) -> list[Judgement]:
    """Every judgement of a submission, newest first."""
    of_it = select(Judgement).where(Judgement.submission_id == submission_id).options(defer(Judgement.report))
    return list(session.scalars(of_it.order_by(Judgement.id.desc())))


def shown_of(judgements: Sequence[Judgement]) -> Judgement | None:
    """The one that `judge.submissions.latest` gives, of all judgements of a submission, newest first."""
    newest = judgements[0] if judgements else None
    return next((one for one in judgements if one.verdict not in UNSCORED), newest)


def changes(session: Session, slug: str) -> list[Change]:
    """What was judged more than once at a problem, newest submission first."""
    other = aliased(Judgement)
    rejudged = select(other.id).where(other.submission_id == Submission.id, other.rejudge.is_(True)).exists()
    rows = session.execute(
        select(Judgement, Submission.id, User.id, User.name, User.full_name)
        .join(Submission, Submission.id == Judgement.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(Submission.slug == slug, rejudged)
        .options(defer(Judgement.report))
        .order_by(Submission.id.desc(), Judgement.id)
    ).all()
    by_submission: dict[int, list[Judgement]] = {}
    people = {}
    for judgement, submission_id, user_id, name, full_name in rows:
        by_submission.setdefault(submission_id, []).append(judgement)
        people[submission_id] = (user_id, name, full_name)
    return [
        Change(submission_id, *people[submission_id], *found[-2:])
        for submission_id, found in by_submission.items()
        if len(found) > 1
    ]


def _solved_before(standing: Standing | None, when: datetime) -> bool:
    return standing is not None and standing.solved_by is not None and standing.solved_by < when
