"""A plain Python file that shows a failing case again: inputs, call, got and expected, with nothing but torch.

Made from what a report keeps (`judge.grading.reproduce`) when somebody asks for it, in their language.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from judge.problem import Problem
from judge.words import words
from judge.words.table import Words

HELPERS = {
    "packed": """
def packed(text, dtype, shape):
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=dtype).view(shape)
""",
    "strided": """
def strided(tensor, stride):
    return torch.empty_strided(tensor.shape, stride, dtype=tensor.dtype).copy_(tensor)
""",
}
LOADING = """
path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name({name})
spec = importlib.util.spec_from_file_location("solution", path)
solution = sys.modules["solution"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(solution)
"""


def file_name(case: str, stem: str) -> str:
    """The file's name for a case of the submission ``stem``."""
    return f"{stem}-repro-{re.sub(r'[^A-Za-z0-9_.-]', '-', case)}.py"


def workspace_name(problem: Problem) -> str:
    """The name of a learner's own file of a problem, which the file loads unless told another."""
    return f"{problem.number}-{problem.slug}.py"


def write(case: Mapping[str, Any], problem: Problem, lang: str, *, submission: str) -> str | None:
    """The file's text for a disclosed case's record; None where the report keeps no way to reproduce it.

    ``submission`` is the name of the learner's file, expected beside this one unless it is given as an argument.
    """
    repro = (case.get("detail") or {}).get("repro")
    if not repro:
        return None
    table = words(lang)
    body = "\n".join([_calls(repro, problem), _verdict(repro, table)])
    return "\n".join([_head(case, repro, problem, lang, body), _modules(repro, problem, submission), body])


def _head(case: Mapping[str, Any], repro: Mapping[str, Any], problem: Problem, lang: str, body: str) -> str:
    table = words(lang)
    lines = [f"{problem.label_in(lang)} · {case['name']}", "", table.say("repro", "how")]
    if repro["shrunk"]:
        lines.append(table.say("repro", "shrunk"))
    text = _plain("\n".join(lines))
    imports = ["import importlib.util", "import sys", "from pathlib import Path", "", "import torch"]
    needed = [name for name in HELPERS if f"{name}(" in body]
    if "packed" in needed:
        imports.insert(0, "import base64")
    if re.search(r"\b(nan|inf)\b", body):
        imports.append("from torch import inf, nan")
    return "\n".join([f'"""{text}\n"""', "", *imports, *(HELPERS[name].rstrip() for name in needed)])


def _plain(text: str) -> str:
    return text.replace("\\", "/").replace('"""', "'''")


def _modules(repro: Mapping[str, Any], problem: Problem, submission: str) -> str:
    """The learner's file as module ``solution``; the problem's own support and harness are carried along."""
    pieces = []
    if problem.support is not None:
        pieces.append(_carried("support", problem.support))
    pieces.append(LOADING.format(name=repr(submission)).rstrip())
    if any(call["harness"] for call in repro["calls"]) and problem.harness is not None:
        pieces.append(_carried("harness", problem.harness))
    return "\n".join(pieces)


def _carried(name: str, source: str) -> str:
    return (
        f'\n{name} = sys.modules["{name}"] = type(sys)("{name}")  # {name}.py\n'
        f"exec(compile({source!r}, '{name}.py', 'exec'), vars({name}))"
    )


def _calls(repro: Mapping[str, Any], problem: Problem) -> str:
    several = len(repro["calls"]) > 1
    lines = []
    for number, call in enumerate(repro["calls"], 1):
        suffix = f"_{number}" if several else ""
        names = _argument_names(call, problem)
        given = []
        for name, text in zip(names, call["args"], strict=False):
            lines += ["", f"{name}{suffix} = {text}"]
            given.append(f"{name}{suffix}")
        for key, text in call["kwargs"].items():
            lines += ["", f"{key}{suffix} = {text}"]
            given.append(f"{key}={key}{suffix}")
        module = "harness" if call["harness"] else "solution"
        lines += ["", f"result = {module}.{call['function']}({', '.join(given)})"]
    return "\n".join(lines)


def _argument_names(call: Mapping[str, Any], problem: Problem) -> list[str]:
    """Names of the arguments as the starter (or the harness) calls them."""
    source = (problem.harness or "") if call["harness"] else problem.starter
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == call["function"]:
            found = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    fallback = [f"argument_{i}" for i in range(len(call["args"]))]
    return (found + fallback[len(found) :])[: len(call["args"])]


def _verdict(repro: Mapping[str, Any], table: Words) -> str:
    """Printing and comparing; without a wanted value the result alone is printed."""
    got = f"result{repro['path']}" if repro["path"] is not None else "result"
    told = " ".join(str(repro.get("got", "")).split())  # one line, whatever the learner's value holds
    lines = ["", f"# {table.say('repro', 'got', got=told)}"] if told else [""]
    lines += [f"got = {got}", 'print("got     ", got)']
    if repro["want"] is None:
        return "\n".join([*lines, f"# {_plain(table.say('repro', 'look'))}", ""])
    lines += [f"want = {repro['want']}", 'print("expected", want)']
    if repro["tolerance"] is not None:
        bound = f"atol={repro['tolerance']['atol']!r}, rtol={repro['tolerance']['rtol']!r}"
        lines.append(f"torch.testing.assert_close(got, want, {bound}, equal_nan=True)")
        if repro["contiguous"]:
            lines.append('assert got.is_contiguous(), f"not contiguous: stride {got.stride()}"')
    else:
        lines.append('assert type(got) is type(want) and got == want, f"{got!r} is not {want!r}"')
    return "\n".join([*lines, f"print({table.say('repro', 'same')!r})", ""])
