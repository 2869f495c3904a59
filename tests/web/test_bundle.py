"""The build of the front-end bundle: once, in one step, and with one line where it fails."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from web.bundle import build

BUNDLE = Path(build.__file__).parent


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the inputs to build from; the real vendor folder stays as it is."""
    shutil.copytree(BUNDLE, tmp_path / "bundle", ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    monkeypatch.setattr(build, "HERE", tmp_path / "bundle")
    return tmp_path / "bundle"


def program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that stand for node and npm, first on PATH."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    program(
        tmp_path / "bin",
        "node",
        '[ "$1" = --version ] && echo v20.1.0 && exit\nmkdir -p "$2"; echo js > "$2/monaco.js"',
    )
    program(tmp_path / "bin", "npm", "exit 0")
    return tmp_path / "bin"


def test_a_bundle_is_built_once_for_the_same_inputs(here: Path, tools: Path, tmp_path: Path) -> None:
    vendor = tmp_path / "vendor"
    assert not build.is_built(vendor)
    build.build(vendor)
    assert build.is_built(vendor)
    assert (vendor / "monaco.js").is_file()
    (here / "package-lock.json").write_text("{}")
    assert not build.is_built(vendor)


def test_a_failed_build_leaves_the_old_bundle_and_no_rest(here: Path, tools: Path, tmp_path: Path) -> None:
    vendor = tmp_path / "vendor"
    vendor.mkdir()
    (vendor / "monaco.js").write_text("old")
    program(
        tools,
        "npm",
        "echo 'npm error code ECONNREFUSED' >&2; echo 'npm error A complete log of x' >&2; exit 1",
    )
    with pytest.raises(build.Failed, match=r"^npm ci failed: npm error code ECONNREFUSED$"):
        build.build(vendor)
    assert (vendor / "monaco.js").read_text() == "old"
    assert list(tmp_path.glob("vendor.*")) == []


def test_a_failure_is_one_line_that_names_the_fallback(
    here: Path, tools: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "is_built", lambda: False)
    monkeypatch.setattr(build, "build", fail)
    assert build.main() == 1
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert "text area" in out


def fail() -> None:
    raise build.Failed("npm ci failed: no network")


def test_an_old_node_is_not_used(tools: Path) -> None:
    assert build.system_node() is not None
    program(tools, "node", "echo v18.19.0")
    assert build.system_node() is None


def test_a_broken_flag_counts_as_not_built(tmp_path: Path) -> None:
    for text in ("", "[]", "{", json.dumps({"inputs": "other"})):
        (tmp_path / "bundle.json").write_text(text)
        assert not build.is_built(tmp_path)


def test_the_lock_names_no_host_and_pins_every_package() -> None:
    lock = json.loads((BUNDLE / "package-lock.json").read_text())
    assert "http" not in json.dumps(lock)
    packages = [one for path, one in lock["packages"].items() if path]
    assert packages
    assert all(one["integrity"].startswith("sha512-") for one in packages)
    wanted = json.loads((BUNDLE / "package.json").read_text())
    assert all(re.fullmatch(r"[\d.]+", version) for version in wanted["dependencies"].values())
