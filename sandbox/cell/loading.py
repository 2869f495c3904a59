"""Loads a submission: first the problem's public modules, then the learner's file as module ``solution``.

``support`` can be imported by the submission and by ``harness``. ``harness`` is executed *before* the submission, so
that nothing of a learner's can break its loading; it may say ``import solution`` at its top, which gives the module
that is filled afterwards, and use ``solution.<entry point>`` inside its functions.
"""

from __future__ import annotations

import io
import linecache
import random
import sys
from dataclasses import dataclass, field
from types import ModuleType

import torch

from .faults import describe, out_of_memory
from .values import Node, dataclasses_of


class NotLoaded(Exception):
    """The submission could not be loaded: ``kind`` of LoadFailed, or "problem" where a file of the problem's failed."""

    def __init__(self, kind: str, *, entry: str = "", line: int = 0, fault: Node = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.entry = entry
        self.line = line
        self.fault = fault


@dataclass
class Loaded:
    """The modules of a cell."""

    solution: ModuleType
    harness: ModuleType | None = None
    classes: dict[str, type] = field(default_factory=dict)


def prepare(support: str | None, harness: str | None) -> Loaded:
    """Executes the problem's public files, before anything of the learner's; raises NotLoaded with kind "problem"."""
    loaded = Loaded(_new_module("solution", "solution.py"))
    for name, text in (("support", support), ("harness", harness)):
        try:
            module = None if text is None else _executed(name, text)
        except BaseException as error:  # not the learner's fault, whatever it is
            raise NotLoaded("problem", entry=f"{name}.py", fault=describe(error, f"{name}.py")) from None
        if name == "support" and module is not None:
            loaded.classes = dataclasses_of(module)
        if name == "harness":
            loaded.harness = module
    return loaded


def load(loaded: Loaded, source: bytes, filename: str, entry_points: list[str], seed: int) -> None:
    """Executes the submission; raises NotLoaded."""
    loaded.solution.__file__ = filename
    _seed(seed)
    _execute_submission(loaded.solution, source.decode("utf-8-sig"), filename)
    for name in entry_points:
        if name not in vars(loaded.solution):
            raise NotLoaded("missing", entry=name)
        if not callable(vars(loaded.solution)[name]):
            raise NotLoaded("not-callable", entry=name)


def _execute_submission(module: ModuleType, text: str, filename: str) -> None:
    _remember_source(filename, text)
    try:
        code = compile(text, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise NotLoaded("syntax", line=error.lineno or 0, fault=describe(error, filename)) from None
    except (
        ValueError,
        OverflowError,
        RecursionError,
        MemoryError,
    ) as error:  # what the parser has no words for
        raise NotLoaded("syntax", fault=describe(error, filename)) from None
    try:
        exec(code, vars(module))
    except BaseException as error:  # a learner's module may raise anything, SystemExit too
        if out_of_memory(error, filename):
            raise NotLoaded("memory") from None
        fault = describe(error, filename)
        frames = fault[-1]
        raise NotLoaded("raised", line=frames[-1][0] if frames else 0, fault=fault) from None


def _executed(name: str, text: str) -> ModuleType:
    filename = f"{name}.py"
    module = _new_module(name, filename)
    _remember_source(filename, text)
    exec(compile(text, filename, "exec", dont_inherit=True), vars(module))
    return module


def _new_module(name: str, filename: str) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = filename
    sys.modules[name] = module
    return module


def _remember_source(filename: str, text: str) -> None:
    """Gives ``inspect.getsource`` and tracebacks the text, though no such file exists."""
    linecache.cache[filename] = (len(text), None, io.StringIO(text, newline=None).readlines(), filename)


def _seed(seed: int) -> None:
    random.seed(seed)
    torch.manual_seed(seed % (1 << 63))
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(seed % (1 << 32))
