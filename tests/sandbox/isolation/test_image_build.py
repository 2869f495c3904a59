"""The image's name follows its content, and its libraries are a CPU build for the base's interpreter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandbox.image import build, version
from sandbox.image.build import Base, BuildError


@pytest.fixture
def cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the cell's folder that version.py looks at."""
    for source in version.CELL.glob("*.py"):
        (tmp_path / source.name).write_bytes(source.read_bytes())
    monkeypatch.setattr(version, "CELL", tmp_path)
    return tmp_path


def tag() -> str:
    """The tag, worked out anew."""
    version.image_tag.cache_clear()
    return version.image_tag()


def test_every_change_of_the_cell_makes_another_image(cell: Path) -> None:
    before = tag()
    assert tag() == before
    (cell / "wire.py").write_text("changed = True\n")
    assert tag() != before
    version.image_tag.cache_clear()


def test_the_libraries_outlive_changes_of_the_cell_but_not_of_the_base(cell: Path) -> None:
    before = version.libraries_tag("sha256:1")
    (cell / "wire.py").write_text("changed = True\n")
    assert version.libraries_tag("sha256:1") == before
    assert version.libraries_tag("sha256:2") != before


def test_wheels_are_asked_for_up_to_the_base_s_glibc() -> None:
    platforms = Base("3.12", "aarch64", 31).platforms()
    assert platforms[0] == "manylinux_2_31_aarch64"
    assert "manylinux_2_28_aarch64" in platforms
    assert "manylinux_2_34_aarch64" not in platforms


def plan(monkeypatch: pytest.MonkeyPatch, *names: str) -> list[tuple[str, ...]]:
    """A pip that plans to install ``names``; returns the calls that it gets."""
    calls: list[tuple[str, ...]] = []

    def pip(*arguments: str) -> str:
        calls.append(arguments)
        return json.dumps({"install": [{"metadata": {"name": name}} for name in names]})

    monkeypatch.setattr(build, "_pip", pip)
    return calls


def test_pip_is_left_alone_where_it_takes_a_cpu_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TORCH_INDEX", raising=False)
    calls = plan(monkeypatch, "torch", "sympy")
    build.stage_libraries(Base("3.12", "x86_64", 36), tmp_path)
    assert not any("--index-url" in call for call in calls)
    assert all("3.12" in call for call in calls)


def test_a_cuda_build_is_never_put_into_the_image(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TORCH_INDEX", raising=False)
    calls = plan(monkeypatch, "torch", "nvidia-cublas", "triton")
    build.stage_libraries(Base("3.12", "x86_64", 36), tmp_path)
    installed = [call for call in calls if "--dry-run" not in call and call[-1].startswith("torch==")]
    assert [call[call.index("--index-url") + 1].endswith("/cpu") for call in installed] == [True]


def test_an_index_of_ones_own_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TORCH_INDEX", "file:///mirror")
    calls = plan(monkeypatch, "nvidia-cublas")
    build.stage_libraries(Base("3.12", "x86_64", 36), tmp_path)
    assert ["file:///mirror" in call for call in calls] == [True, False]


def test_pip_s_last_words_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TORCH_INDEX", "default")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    with pytest.raises(BuildError, match="pip could not fetch"):
        build.stage_libraries(Base("3.12", "x86_64", 36), tmp_path / "libraries")


def test_the_build_context_holds_our_cell_and_nothing_else(tmp_path: Path) -> None:
    build.stage_cell(version.CELL_DOCKERFILE, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"Dockerfile", ".dockerignore", "cell"}
    assert {path.name for path in (tmp_path / "cell").iterdir()} == {
        path.name for path in version.CELL.glob("*.py")
    }
