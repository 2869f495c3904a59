"""Builds the docker backend's image: ``python -m sandbox.image.build`` (``make image``).

Libraries are fetched by pip on this machine, with its own settings and proxies, for the base image's interpreter;
the build itself uses no network. ``BASE`` names another base image, ``TORCH_INDEX`` an index with CPU builds of torch
("default": whatever pip takes).
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.backend import Reason, reader_language
from sandbox.image.version import (
    CELL,
    CELL_DOCKERFILE,
    LIBRARIES_DOCKERFILE,
    image_tag,
    libraries_tag,
    library_versions,
)

if TYPE_CHECKING:
    from docker import DockerClient

DEFAULT_BASE = "python:3.12-slim"
_SETUP = (
    Path(__file__).resolve().parents[2] / "practice" / "setup.py"
)  # the one place that names the CPU index
_ASK_BASE = "import json, platform, sys; print(json.dumps([list(sys.version_info[:2]), platform.machine(), platform.libc_ver()[1]]))"
_OLDEST_PYTHON = [3, 11]
_UNUSED = ["libraries/torch/include", "libraries/torch/test", "libraries/bin", "**/__pycache__"]


class BuildError(Exception):
    """The image cannot be built; the reason says what to do."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(str(reason))
        self.reason = reason


@dataclass(frozen=True)
class Base:
    """What a base image runs: Python (major, minor), machine, and glibc's minor version."""

    python: str
    machine: str
    glibc_minor: int

    def platforms(self) -> list[str]:
        """Wheel platforms that it can use, newest first."""
        tags = [f"manylinux_2_{minor}_{self.machine}" for minor in range(self.glibc_minor, 16, -1)]
        return [*tags, f"manylinux2014_{self.machine}", f"linux_{self.machine}"]


def say(en: str, zh: str) -> None:
    """One line of progress."""
    print(Reason(en, zh).text(reader_language()), flush=True)


def inspect_base(engine: DockerClient, image: str) -> Base:
    """Ask the base image's python3; pulls it where it is missing. Raises BuildError."""
    from docker.errors import APIError, ContainerError, ImageNotFound

    try:
        told = engine.containers.run(
            image, ["-c", _ASK_BASE], entrypoint="python3", network_mode="none", remove=True
        )
    except (APIError, ContainerError, ImageNotFound) as error:
        raise BuildError(
            Reason(
                f"the base image {image} cannot be used: {error}. If no image can be pulled, run "
                "`python -m sandbox.image.debian`, then `make image BASE=judge-base:debian`",
                f"基础镜像 {image} 无法使用：{error}。若无法拉取镜像，先运行 `python -m sandbox.image.debian`，"
                "再运行 `make image BASE=judge-base:debian`",
            )
        ) from error
    version, machine, glibc = json.loads(told)
    if version < _OLDEST_PYTHON:
        raise BuildError(
            Reason(f"the base image {image} has too old a Python", f"基础镜像 {image} 的 Python 版本过低")
        )
    return Base(f"{version[0]}.{version[1]}", machine, int(glibc.split(".")[1]))


def _pip(*arguments: str) -> str:
    """Run this interpreter's pip. Raises BuildError with its last words."""
    ran = subprocess.run([sys.executable, "-m", "pip", *arguments], capture_output=True, text=True)
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or ["?"])[-1]
        raise BuildError(
            Reason(f"pip could not fetch the libraries: {last}", f"pip 无法取得所需的库：{last}")
        )
    return ran.stdout


def _cpu_index() -> str:
    for node in ast.parse(_SETUP.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "TORCH_CPU_INDEX":
            return str(ast.literal_eval(node.value))
    raise BuildError(
        Reason(
            "set TORCH_INDEX= to an index with CPU builds of torch",
            "请用 TORCH_INDEX= 指定 CPU 版 torch 的索引",
        )
    )


def _torch_index(target: list[str], wanted: str) -> list[str]:
    """pip's options for a CPU build of torch: none where that is what pip takes anyway."""
    index = os.environ.get("TORCH_INDEX", "")
    if index == "default":
        return []
    if not index:
        plan = json.loads(_pip("install", "--quiet", "--dry-run", "--report", "-", *target, wanted))
        names = {item["metadata"]["name"].lower() for item in plan["install"]}
        if not any(name.startswith(("nvidia-", "cuda-")) for name in names):
            return []
    return ["--index-url", index or _cpu_index()]


def stage_libraries(base: Base, folder: Path) -> None:
    """Install torch and numpy for ``base`` into ``folder``. Raises BuildError."""
    target = [
        "--target",
        str(folder),
        "--only-binary",
        ":all:",
        "--no-compile",
        "--disable-pip-version-check",
    ]
    target += ["--python-version", base.python, "--implementation", "cp"]
    for platform in base.platforms():
        target += ["--platform", platform]
    torch, numpy = (f"{name}=={version}" for name, version in library_versions().items())
    _pip("install", "--quiet", *target, *_torch_index(target, torch), torch)
    _pip("install", "--quiet", *target, numpy)


def _open_to_read(folder: Path) -> None:
    """The zygote runs as another uid, whatever the umask here was."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))


def stage_cell(dockerfile: Path, context: Path) -> None:
    """Fill a build context with a Dockerfile and our cell."""
    shutil.copy(dockerfile, context / "Dockerfile")
    (context / ".dockerignore").write_text("\n".join(_UNUSED) + "\n", "utf-8")
    shutil.copytree(CELL, context / "cell", ignore=shutil.ignore_patterns("__pycache__"))


def _run_build(engine: DockerClient, context: Path, tag: str, arguments: dict[str, str]) -> None:
    from docker.errors import APIError
    from docker.errors import BuildError as EngineBuildError

    _open_to_read(context)
    try:
        engine.images.build(
            path=str(context), tag=tag, buildargs=arguments, network_mode="none", rm=True, forcerm=True
        )
    except (APIError, EngineBuildError) as error:
        raise BuildError(Reason(f"the engine could not build: {error}", f"引擎构建失败：{error}")) from error


def build_libraries(engine: DockerClient, base_image: str) -> str:
    """The image of interpreter and torch; built only where it is missing. Raises BuildError."""
    base = inspect_base(engine, base_image)
    tag, torch = libraries_tag(str(engine.images.get(base_image).id)), library_versions()["torch"]
    if engine.images.list(name=tag):
        return tag
    with tempfile.TemporaryDirectory(prefix="judge-image-") as folder:
        context = Path(folder)
        say(
            f"fetching torch {torch} for Python {base.python}",
            f"正在为 Python {base.python} 获取 torch {torch}",
        )
        stage_cell(LIBRARIES_DOCKERFILE, context)
        stage_libraries(base, context / "libraries")
        say("building the image of the libraries", "正在构建库镜像")
        _run_build(engine, context, tag, {"BASE": base_image, "TORCH_VERSION": torch})
    return tag


def build(engine: DockerClient, base_image: str) -> str:
    """Build this version's image and return its tag. Raises BuildError."""
    libraries = build_libraries(engine, base_image)
    with tempfile.TemporaryDirectory(prefix="judge-image-") as folder:
        stage_cell(CELL_DOCKERFILE, Path(folder))
        _run_build(engine, Path(folder), image_tag(), {"LIBRARIES": libraries})
    return image_tag()


def main() -> int:
    """Exit status 0 when the image is there, 3 when it cannot be built."""
    from sandbox.engine import connect

    engine, reason = connect(timeout_s=1800)
    try:
        if engine is None:
            raise BuildError(reason)
        tag = build(engine, os.environ.get("BASE") or DEFAULT_BASE)
    except BuildError as error:
        print(error.reason.text(reader_language()), file=sys.stderr)
        return 3
    say(f"built {tag}", f"已构建 {tag}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
