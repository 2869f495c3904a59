"""The set-up script is no package: any python3 runs it by path, so the tests load it by path."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

PRACTICE = Path(__file__).parents[2] / "practice"


@pytest.fixture
def setup_script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """practice/setup.py as a module, speaking English."""
    monkeypatch.syspath_prepend(str(PRACTICE))
    monkeypatch.setenv("JUDGE_LANG", "en")
    monkeypatch.delenv("TORCH_INDEX", raising=False)
    spec = importlib.util.spec_from_file_location("practice_setup", PRACTICE / "setup.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "practice_setup", module)
    spec.loader.exec_module(module)
    return module
