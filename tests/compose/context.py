"""A build context as a fresh clone has it, with the wheels that a build without network takes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from sandbox.image.build import Base

ROOT = Path(__file__).parents[2]
VENDOR = Path("web/static/vendor")


def copy_checkout(target: Path) -> None:
    """Everything of this checkout that git does not ignore, and the editor, where it is built."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)
    if (ROOT / VENDOR).is_dir():
        shutil.copytree(ROOT / VENDOR, target / VENDOR)


def stage_wheels(base: Base, target: Path) -> None:
    """Fetch the judge's packages for the base image with this machine's pip; numpy and torch are the base's own."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [name for name in project["dependencies"] if not name.startswith("numpy==")]
    platforms = [word for platform in base.platforms() for word in ("--platform", platform)]
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--only-binary",
        ":all:",
        "--dest",
        str(target),
    ]
    command += ["--python-version", base.python, "--implementation", "cp", *platforms, "pip", *wanted]
    subprocess.run(command, check=True)
