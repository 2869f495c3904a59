"""Accounts: names, passwords and logins of users; the named mistakes of each judgement, and which is a rejudge."""

from __future__ import annotations

import json
from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
AT_A_TIME = 200  # reports read at once: one may be 100 KiB


def upgrade() -> None:
    """Add the columns and tables, and count the mistakes of the reports that are there already."""
    op.add_column("users", sa.Column("full_name", sa.String(80), nullable=False, server_default=""))
    op.add_column("users", sa.Column("password_hash", sa.String(255)))
    op.add_column("users", sa.Column("code_hash", sa.String(64)))
    op.add_column("judgements", sa.Column("rejudge", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_table(
        "logins",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_logins_user_id", "logins", ["user_id"])
    mistakes = op.create_table(
        "mistakes",
        sa.Column("judgement_id", sa.Integer, sa.ForeignKey("judgements.id"), primary_key=True),
        sa.Column("key", sa.String(80), primary_key=True),
    )
    connection = op.get_bind()
    for judgement_id, report in _reports(connection):
        if rows := [{"judgement_id": judgement_id, "key": key} for key in sorted(_keys(report))]:
            connection.execute(sa.insert(mistakes), rows)


def _reports(connection: sa.Connection) -> Iterator[tuple[int, str]]:
    judgements = sa.table("judgements", sa.column("id", sa.Integer), sa.column("report", sa.Text))
    last = 0
    while True:
        later = sa.select(judgements.c.id, judgements.c.report).where(
            judgements.c.id > last, judgements.c.report.is_not(None)
        )
        rows = connection.execute(later.order_by(judgements.c.id).limit(AT_A_TIME)).all()
        if not rows:
            return
        yield from ((judgement_id, report) for judgement_id, report in rows)
        last = rows[-1][0]


def _keys(report: str) -> set[str]:
    cases = json.loads(report).get("cases", [])
    return {str(case["mistake"])[:80] for case in cases if case.get("mistake")}
