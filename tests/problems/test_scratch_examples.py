"""The lines that a problem offers to try first run with its solution, and show something."""

from __future__ import annotations

import ast
import sys
import types
from pathlib import Path

import pytest

from judge.problem import load_problem

BANK = Path(__file__).parents[2] / "problems"
EXAMPLES = sorted(BANK.glob("*/*/scratch.txt"))


def test_there_are_some() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_it_runs_and_calls_every_entry_point(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = load_problem(path.parent)
    if problem.support:
        support = types.ModuleType("support")
        exec(problem.support, support.__dict__)
        monkeypatch.setitem(sys.modules, "support", support)
    submission = types.ModuleType("submission")
    monkeypatch.setitem(sys.modules, "submission", submission)
    exec(problem.solution, submission.__dict__)
    lines = path.read_text("utf-8")
    exec(lines, submission.__dict__)
    tree = ast.parse(lines)
    assert any(isinstance(one, ast.Expr) for one in tree.body) or "print(" in lines
    called = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
    assert set(problem.entry_points) <= called
