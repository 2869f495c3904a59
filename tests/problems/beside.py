"""A problem's cases beside classes of the engine, in this process."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

BANK = Path(__file__).resolve().parents[2] / "problems" / "minisgl"


class Beside:
    """One problem's modules, and a submission made of the engine's classes, in this process."""

    def __init__(self, number: int, **entries: Any) -> None:
        (self.folder,) = BANK.glob(f"{number}-*")
        self.name = f"agreement_{number}"
        package = ModuleType(self.name)
        package.__path__ = [str(self.folder / "tests")]
        sys.modules[self.name] = package
        solution = ModuleType("solution")
        vars(solution).update(entries)
        self.submission = SimpleNamespace(harness=self._harness(solution), **entries)

    def module(self, name: str) -> ModuleType:
        """A module of the problem's tests folder."""
        return importlib.import_module(f"{self.name}.{name}")

    def _harness(self, solution: ModuleType) -> ModuleType | None:
        path = self.folder / "harness.py"
        if not path.exists():
            return None
        spec = importlib.util.spec_from_file_location(f"{self.name}_harness", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["solution"] = solution
        sys.modules[spec.name] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
        return module
