"""The lines that the scratch pane offers: the problem's own, which run, else calls drawn from the starter's signatures."""

from __future__ import annotations

import ast

from judge.problem import Problem


def lines_of(problem: Problem) -> str:
    """What to try first with a problem: its ``scratch.txt``, or every entry point called with names to be filled in."""
    own = problem.files.get("scratch.txt", b"").decode(errors="replace").strip()
    if own:
        return own
    try:
        tree = ast.parse(problem.starter)
    except SyntaxError:
        return "\n".join(f"{name}()" for name in problem.entry_points)
    known = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    calls = [call(name, known.get(name)) for name in problem.entry_points]
    return "\n\n".join(["import torch", *calls] if "torch" in problem.starter else calls)


def call(name: str, node: ast.FunctionDef | ast.ClassDef | None) -> str:
    """A call of a function or class, one line before it for each argument that has no default."""
    if isinstance(node, ast.ClassDef):
        made = (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
        arguments, own = next((one.args for one in made), None), 1
    else:
        arguments, own = node.args if node else None, 0
    if arguments is None:
        return f"{name}()"
    required = [*arguments.posonlyargs, *arguments.args][own:]
    required = required[: len(required) - len(arguments.defaults)]
    given = [f"{one.arg} = ...{annotation(one)}" for one in required]
    return "\n".join([*given, f"{name}({', '.join(one.arg for one in required)})"])


def annotation(argument: ast.arg) -> str:
    """The type of an argument, as a comment."""
    return f"  # {ast.unparse(argument.annotation)}" if argument.annotation else ""
