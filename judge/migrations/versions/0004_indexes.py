"""Indexes that hold all a score follows from, so that no page reads sources and reports to count points."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Put wider indexes in the place of two, and add one by problem."""
    op.drop_index("ix_submissions_user_slug", "submissions")
    op.create_index("ix_submissions_user", "submissions", ["user_id", "slug", "mode", "created_at"])
    op.create_index("ix_submissions_slug", "submissions", ["slug", "mode"])
    op.drop_index("ix_judgements_submission_id", "judgements")
    op.create_index("ix_judgements_submission", "judgements", ["submission_id", "verdict", "score"])
