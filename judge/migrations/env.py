"""Alembic's entry: runs the migrations on the connection that judge.db hands over, within its transaction."""

from __future__ import annotations

from alembic import context

from judge.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # SQLite changes a table by copying it
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
