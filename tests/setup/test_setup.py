"""The set-up script: which torch it takes, and one line for each obstacle."""

from __future__ import annotations

import ast
import json
import os
import shutil
import string
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

PRACTICE = Path(__file__).parents[2] / "practice"


def plan(*names: str) -> str:
    """What `pip install --dry-run --report -` prints for these packages."""
    return json.dumps({"version": "1", "install": [{"metadata": {"name": name}} for name in names]})


@pytest.fixture
def planned(setup_script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script on a machine without a driver, where pip's plan brings CUDA packages."""
    monkeypatch.setattr(setup_script, "has_nvidia_driver", lambda: False)
    monkeypatch.setattr(
        setup_script, "pip", lambda *a: SimpleNamespace(stdout=plan("torch", "nvidia-cublas", "triton"))
    )
    return setup_script


def test_cuda_plan_without_a_driver_takes_the_cpu_index(planned: ModuleType) -> None:
    kind, arguments = planned.torch_arguments()
    assert kind == "torch_cpu"
    assert arguments[-2:] == ["--index-url", planned.TORCH_CPU_INDEX]


def test_cuda_plan_with_a_driver_stays(planned: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "has_nvidia_driver", lambda: True)
    assert planned.torch_arguments() == ("torch_plain", ["torch==" + planned.TORCH_VERSION])


def test_plan_without_cuda_packages_stays(setup_script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_script, "pip", lambda *a: SimpleNamespace(stdout=plan("torch", "numpy")))
    assert setup_script.torch_arguments()[0] == "torch_plain"


def test_torch_index_overrides_the_plan(planned: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_INDEX", "mirror/cpu")
    assert planned.torch_arguments()[1][-1] == "mirror/cpu"
    monkeypatch.setenv("TORCH_INDEX", "default")
    assert planned.torch_arguments()[0] == "torch_plain"


def test_an_unreachable_cpu_index_stops_with_size_and_choices(
    planned: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pip(what: str, *arguments: str) -> SimpleNamespace:
        if "--report" in arguments:
            return SimpleNamespace(stdout=plan("torch", "nvidia-cublas"))
        raise planned.SetupError("unreachable")

    monkeypatch.setattr(planned, "pip", pip)
    monkeypatch.setattr(planned, "stamps", dict)
    monkeypatch.setattr(planned, "PYTHON", "/bin/false")
    with pytest.raises(planned.SetupError) as stopped:
        planned.install_torch()
    assert "3 to 4 GB" in str(stopped.value) and "TORCH_INDEX=" in str(stopped.value)


def test_no_supported_python_is_one_line(setup_script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_script, "VERSIONS", ((4, 0), (4, 0)))
    with pytest.raises(setup_script.SetupError, match=r"this needs Python 3\.11 to 3\.14"):
        setup_script.usable_python()


def test_no_space_is_one_line(
    setup_script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(setup_script, "PYTHON", tmp_path / "none")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=0.3e9))
    with pytest.raises(setup_script.SetupError, match=r"Only 0\.3 GB free"):
        setup_script.make_venv()


def test_a_failing_pip_is_told_by_its_last_error(
    setup_script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_script, "PYTHON", Path(sys.executable))
    with pytest.raises(setup_script.SetupError, match="no-such-command"):
        setup_script.pip("x", "no-such-command")


def test_without_venv_the_judge_says_what_to_run(tmp_path: Path) -> None:
    shutil.copytree(
        PRACTICE, tmp_path / "practice", ignore=shutil.ignore_patterns("workspace", "__pycache__")
    )
    ran = subprocess.run(
        [sys.executable, str(tmp_path / "practice" / "judge.py"), "test", "189"],
        capture_output=True,
        text=True,
        env={**os.environ, "JUDGE_LANG": "en"},
    )
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1 and "make serve" in ran.stderr


def test_any_python3_can_read_the_script() -> None:
    for name in ("judge.py", "setup.py"):
        ast.parse((PRACTICE / name).read_text("utf-8"), feature_version=(3, 7))


def test_both_languages_say_the_same(setup_script: ModuleType) -> None:
    words = setup_script.WORDS
    assert words["zh"].keys() == words["en"].keys()
    for key, english in words["en"].items():
        fields = [
            {name for _, name, _, _ in string.Formatter().parse(t) if name}
            for t in (english, words["zh"][key])
        ]
        assert fields[0] == fields[1], key
