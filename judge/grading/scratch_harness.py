"""Runs in the cell beside a learner's module: executes scratch lines in its namespace and tells each value.

Sent as text in place of a problem's harness.py; nothing here is to be trusted, as nothing in a cell is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import solution  # type: ignore[import-not-found]  # the submission, filled in later
import torch

REPR_MAX_CHARS = 4000
_AS_THEY_ARE: tuple[type, ...] = (bool, int, float, complex, str, bytes, torch.Tensor, torch.nn.Parameter)
_AS_THEY_ARE += (list, tuple, dict, torch.Size, torch.dtype, torch.device)


def run(text: str, before: int, show: Callable[..., None]) -> list[Any] | None:
    """Executes ``text``, whose lines go on after the ``before`` lines of the submission.

    ``show(line, value, written)`` is told of each expression that stands alone and is not None; ``written`` is its
    repr where the value itself does not cross. Returns line and reason where the text does not parse, else None.
    """
    try:
        tree = ast.parse("\n" * before + text, "solution.py")
    except SyntaxError as error:
        return [max(1, (error.lineno or before + 1) - before), error.msg]
    names = vars(solution)
    for statement in tree.body:
        if isinstance(statement, ast.Expr):
            code = compile(ast.Expression(statement.value), "solution.py", "eval", dont_inherit=True)
            value = eval(code, names)
            if value is not None:
                _tell(show, statement.lineno - before, value)
        else:
            exec(compile(ast.Module([statement], []), "solution.py", "exec", dont_inherit=True), names)
    return None


def _tell(show: Callable[..., None], line: int, value: object) -> None:
    if type(value) in _AS_THEY_ARE:
        try:
            show(line, value, None)
            return
        except TypeError:  # it holds what cannot cross, such as an array of numpy's
            pass
    show(line, None, repr(value)[:REPR_MAX_CHARS])
