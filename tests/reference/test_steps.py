"""The tool that assembles the tree of each chapter and runs its example."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools import steps as tool
from tools.steps import ROOT, StepError, Steps, matches, tree

AFTER_CHAPTER_5 = """\
到这一章为止的文件：39 个（新建 4，修改 0，提前引入 1）

minisgl/
├── __init__.py
├── core.py
├── attention/
│   ├── __init__.py  ← 本章新建
│   ├── base.py  ← 本章新建
│   ├── utils.py  ← 本章新建
│   ├── torch_backend.py  ← 本章新建
├── distributed/  （3 个文件，不变）
├── kernel/  （2 个文件，不变）
├── kvcache/  （4 个文件，不变）
├── layers/  （8 个文件，不变）
├── models/  （7 个文件，不变）
├── scheduler/  （2 个文件，不变）
├── utils/
│   ├── __init__.py
│   ├── misc.py
│   ├── hf.py
│   ├── torch_utils.py
│   ├── registry.py
│   ├── logger.py
│   ├── device.py  ← 提前引入（第 6 章讲）
"""


def steps_py(*args: str) -> subprocess.CompletedProcess[str]:
    """Runs the tool as a reader would."""
    command = [sys.executable, "-X", "utf8", str(ROOT / "tools/steps.py"), *args]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=170)


@pytest.fixture
def copy_of_tree(tmp_path: Path) -> Steps:
    """A tree of one's own to change."""
    shutil.copytree(ROOT, tmp_path / "tree", ignore=shutil.ignore_patterns("__pycache__"))
    return Steps(tmp_path / "tree")


def append(steps: Steps, file: str, text: str) -> None:
    path = steps.root / "minisgl" / file
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_the_tree_is_printed_as_the_chapter_prints_it() -> None:
    run = steps_py("tree", "5")
    assert (run.returncode, run.stdout) == (0, AFTER_CHAPTER_5)


def test_every_chapter_runs_on_its_own_tree() -> None:
    run = steps_py("check")
    assert run.returncode == 0, run.stderr
    assert "第 5 章 chapter 5: 39 files, examples/ch05_attention.py ok" in run.stdout


def test_a_chapter_that_is_not_here_is_one_clear_line() -> None:
    run = steps_py("tree", "99")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "steps.py: chapter 99 is not here; there is: 5\n"


def test_the_assembled_tree_holds_the_listed_files_and_no_more(tmp_path: Path) -> None:
    steps = Steps()
    chapter = steps.chapter(5)
    steps.assemble(chapter, tmp_path)
    found = {str(path.relative_to(tmp_path / "minisgl")) for path in (tmp_path / "minisgl").rglob("*.py")}
    assert found == set(chapter.files)
    assert (tmp_path / "models/Qwen3-0.6B/config.json").is_file()


def test_later_growth_does_not_change_a_kept_chapter(copy_of_tree: Steps, tmp_path: Path) -> None:
    kept = copy_of_tree.keep(5, "attention/torch_backend.py")
    append(copy_of_tree, "attention/torch_backend.py", "raise RuntimeError('chapter 6')\n")
    (copy_of_tree.root / "minisgl/engine.py").write_text("chapter = 6\n")
    chapter = copy_of_tree.chapter(5)
    copy_of_tree.assemble(chapter, tmp_path / "five")
    assert (tmp_path / "five/minisgl/attention/torch_backend.py").read_bytes() == kept.read_bytes()
    assert not (tmp_path / "five/minisgl/engine.py").exists()
    assert tree(chapter) + "\n" == AFTER_CHAPTER_5


def test_a_change_without_keeping_the_old_state_is_seen(copy_of_tree: Steps) -> None:
    append(copy_of_tree, "core.py", "# more\n")
    with pytest.raises(
        StepError, match=r"chapter 5: minisgl/core\.py has changed.*record 5.*keep 5 core\.py"
    ):
        copy_of_tree.check(copy_of_tree.chapter(5))
    with pytest.raises(StepError, match="no longer as chapter 5 has it"):
        copy_of_tree.keep(5, "core.py")
    copy_of_tree.record(5)
    assert Steps(copy_of_tree.root).chapter(5).files != copy_of_tree.chapter(5).files
    assert len(list(Steps(copy_of_tree.root).verified(Steps(copy_of_tree.root).chapter(5)))) == 39


def test_a_missing_file_is_named(copy_of_tree: Steps) -> None:
    (copy_of_tree.root / "minisgl/layers/norm.py").unlink()
    with pytest.raises(StepError, match=r"minisgl/layers/norm\.py is gone"):
        copy_of_tree.check(copy_of_tree.chapter(5))
    with pytest.raises(StepError, match=r"chapter 5 has no minisgl/none\.py"):
        copy_of_tree.keep(5, "none.py")


@pytest.mark.parametrize(
    ("example", "says"),
    [
        ("print('cu_seqlens_q : [0, 6, 9, 11]')", "line 1 should be 'cu_seqlens_q : .*9, 11"),
        ("raise ValueError('broken example')", "failed: .*broken example"),
        ("print()", "should print 6 lines, prints 0"),
        ("import minisgl", "failed: .*No module named 'minisgl'"),  # -I: nothing from outside helps
    ],
)
def test_an_example_that_prints_something_else_fails(copy_of_tree: Steps, example: str, says: str) -> None:
    (copy_of_tree.root / "examples/ch05_attention.py").write_text(example)
    with pytest.raises(StepError, match=f"(?s){says}"):
        copy_of_tree.check(copy_of_tree.chapter(5))


def test_an_example_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "RUN_LIMIT_S", 1)
    (tmp_path / "slow.py").write_text("import time; time.sleep(170)")
    with pytest.raises(StepError, match=r"slow\.py ran for more than 1 s"):
        tool.run_alone(tmp_path / "slow.py")


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("err: 5e-07", True),
        ("err: 0.0", True),
        ("err: 1e-06", False),
        ("err: -1e-9", False),
        ("err: nan", False),
        ("err: x", False),
        ("other: 5e-07", False),
    ],
)
def test_a_bound_is_met_by_smaller_numbers_only(line: str, same: bool) -> None:
    assert matches("err: <1e-6", line) is same
    assert matches("a [1]", "a [1]") and not matches("a [1]", "a [2]")


def test_a_broken_manifest_is_named(copy_of_tree: Steps) -> None:
    manifest = copy_of_tree.root / "steps/ch05.toml"
    for text in ("chapter = ", "chapter = 5\n", 'example = "x"\n'):
        manifest.write_text(text)
        with pytest.raises(StepError, match=r"ch05\.toml: "):
            Steps(copy_of_tree.root)
