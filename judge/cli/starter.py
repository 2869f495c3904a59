"""The learner's own file of a problem: made once from the starter, never written over."""

from __future__ import annotations

from judge.cli.context import Context
from judge.lines import UserError
from judge.problem import Problem


def write_starter(context: Context, problem: Problem) -> bool:
    """Make the learner's file from the starter; False where there is one already."""
    path = context.workspace_file(problem)
    try:
        if path.exists():
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(problem.starter)
    except OSError as error:
        raise UserError("workspace", path=path, why=error.strerror or error) from error
    return True
