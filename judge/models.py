"""What is stored: users, problem versions by content hash, submissions and their judgements."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, Double, ForeignKey, Index, LargeBinary, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.types import TypeDecorator


def now() -> datetime:
    """The present moment, always with a time zone (UTC)."""
    return datetime.now(UTC)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment with its time zone in and out; SQLite itself keeps none, so all are stored as UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if not isinstance(value, datetime):
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """Base of all models."""

    type_annotation_map = {datetime: UtcDateTime(), bytes: LargeBinary}  # noqa: RUF012 - SQLAlchemy's own form


class User(Base):
    """Somebody who submits. The local user is a row from the first start."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    role: Mapped[str] = mapped_column(String(16))  # learner | instructor | admin
    created_at: Mapped[datetime] = mapped_column(default=now)
    full_name: Mapped[str] = mapped_column(String(80), default="")
    password_hash: Mapped[str | None] = mapped_column(String(255))  # argon2; none until one was chosen
    code_hash: Mapped[str | None] = mapped_column(
        String(64)
    )  # of the one-time code, until a password was chosen


class Login(Base):
    """A browser that logged in. The cookie holds the token, this table its hash, so that a logout ends it."""

    __tablename__ = "logins"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)  # sha256, hex
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    until: Mapped[datetime]


class StoredFile(Base):
    """The content of one file of a problem, kept once however many versions share it."""

    __tablename__ = "stored_files"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)  # sha256 of the content, hex
    content: Mapped[bytes]


class ProblemVersion(Base):
    """A problem's folder as it stood when something was judged with it."""

    __tablename__ = "problem_versions"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)  # Problem.version
    number: Mapped[int]
    slug: Mapped[str] = mapped_column(String(80))
    created_at: Mapped[datetime] = mapped_column(default=now)
    files: Mapped[list[ProblemFile]] = relationship(order_by="ProblemFile.path")


class ProblemFile(Base):
    """Where a stored file stands in a problem version."""

    __tablename__ = "problem_files"

    version_hash: Mapped[str] = mapped_column(ForeignKey("problem_versions.hash"), primary_key=True)
    path: Mapped[str] = mapped_column(String(255), primary_key=True)  # relative, with forward slashes
    file_hash: Mapped[str] = mapped_column(ForeignKey("stored_files.hash"))
    file: Mapped[StoredFile] = relationship()


class Submission(Base):
    """Source sent once. Bytes, because a learner's file need not be text."""

    __tablename__ = "submissions"
    # both answer a page without a look at the rows, which hold sources
    __table_args__ = (
        Index("ix_submissions_user", "user_id", "slug", "mode", "created_at"),
        Index("ix_submissions_slug", "slug", "mode"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    slug: Mapped[str] = mapped_column(String(80))
    number: Mapped[int]
    mode: Mapped[str] = mapped_column(String(8))  # run (examples only, never scored) | submit
    source: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(default=now)
    judgements: Mapped[list[Judgement]] = relationship(back_populates="submission", order_by="Judgement.id")


class Judgement(Base):
    """One grading of a submission; a retry or a rejudge adds one, and the last one counts."""

    __tablename__ = "judgements"
    __table_args__ = (
        Index("ix_judgements_status", "status"),
        # all that a score follows from: the rows hold reports
        Index("ix_judgements_submission", "submission_id", "verdict", "score"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"))
    status: Mapped[str] = mapped_column(String(8), default="queued")  # queued | running | done
    attempt: Mapped[int] = mapped_column(default=0)  # how often it was taken up; guards what is recorded
    owner: Mapped[str | None] = mapped_column(String(255))  # who took it up
    lease_until: Mapped[datetime | None]  # past it, anybody may take it up again
    version: Mapped[int] = mapped_column(default=1)  # changes with everything a reader can see
    rejudge: Mapped[bool] = mapped_column(default=False)  # waits behind what learners wait for
    seed: Mapped[str] = mapped_column(String(64))  # secret: the inputs of every case follow from it
    verdict: Mapped[str | None] = mapped_column(String(4))
    score: Mapped[float | None] = mapped_column(Double)  # 0 to 100; none for SE and SKIP
    problem_version: Mapped[str | None] = mapped_column(ForeignKey("problem_versions.hash"))
    report: Mapped[str | None] = mapped_column(
        Text
    )  # JSON, ASCII only: no learner's character can upset a database
    created_at: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    submission: Mapped[Submission] = relationship(back_populates="judgements")


class Mistake(Base):
    """A mistake that a judgement's report names, kept beside the report so that a class can be counted."""

    __tablename__ = "mistakes"

    judgement_id: Mapped[int] = mapped_column(ForeignKey("judgements.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(80), primary_key=True)  # of messages.*.toml [advice]


class Draft(Base):
    """The code a learner is writing for a problem. ``version`` counts what was stored, so that two writers are noticed."""

    __tablename__ = "drafts"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    slug: Mapped[str] = mapped_column(String(80), primary_key=True)
    source: Mapped[bytes]
    version: Mapped[int]
    updated_at: Mapped[datetime] = mapped_column(default=now)


class Opening(Base):
    """Something a learner chose to be shown before solving a problem: a hint, or, by giving up, the solution."""

    __tablename__ = "openings"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    slug: Mapped[str] = mapped_column(String(80), primary_key=True)
    what: Mapped[str] = mapped_column(String(16), primary_key=True)  # hint-1, hint-2 ... | solution
    created_at: Mapped[datetime] = mapped_column(default=now)
