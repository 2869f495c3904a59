"""First tables: users, problem versions, submissions, judgements."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create everything of judge.models as it stood at the first release."""
    _users()
    _problem_versions()
    _submissions()
    _judgements()


def _moment(name: str, nullable: bool = False) -> sa.Column:  # type: ignore[type-arg]
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(80), nullable=False, unique=True),
        sa.Column("role", sa.String(16), nullable=False),
        _moment("created_at"),
    )


def _problem_versions() -> None:
    op.create_table(
        "stored_files",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "problem_versions",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("slug", sa.String(80), nullable=False),
        _moment("created_at"),
    )
    op.create_table(
        "problem_files",
        sa.Column("version_hash", sa.String(64), sa.ForeignKey("problem_versions.hash"), primary_key=True),
        sa.Column("path", sa.String(255), primary_key=True),
        sa.Column("file_hash", sa.String(64), sa.ForeignKey("stored_files.hash"), nullable=False),
    )


def _submissions() -> None:
    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("slug", sa.String(80), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("mode", sa.String(8), nullable=False),
        sa.Column("source", sa.LargeBinary, nullable=False),
        _moment("created_at"),
    )
    op.create_index("ix_submissions_user_slug", "submissions", ["user_id", "slug"])


def _judgements() -> None:
    op.create_table(
        "judgements",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("submission_id", sa.Integer, sa.ForeignKey("submissions.id"), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("owner", sa.String(255)),
        _moment("lease_until", nullable=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("seed", sa.String(64), nullable=False),
        sa.Column("verdict", sa.String(4)),
        sa.Column("score", sa.Double),
        sa.Column("problem_version", sa.String(64), sa.ForeignKey("problem_versions.hash")),
        sa.Column("report", sa.Text),
        _moment("created_at"),
        _moment("started_at", nullable=True),
        _moment("finished_at", nullable=True),
    )
    op.create_index("ix_judgements_submission_id", "judgements", ["submission_id"])
    op.create_index("ix_judgements_status", "judgements", ["status"])
