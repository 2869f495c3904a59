"""What others do with the same cases: a fresh interpreter with pytest, a fresh container with pytest, or no isolation."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO

from judge.bench.measure import FOLDER, timed
from judge.grading.grader import ROOT, grader_environment
from judge.problem import Problem

_PURE = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
"""What pytest needs, and the image has not: all of it Python alone."""

_PLACE, _LIBRARIES = "/bench", "/opt/libraries"
_LIMIT_S = 300.0


class Unknown(Exception):
    """A figure that cannot be measured here; the text says why."""


class Floor:
    """The process of `judge.bench.floor`, warm for one problem; a context manager."""

    def __init__(self, problem: Problem) -> None:
        self._process = subprocess.Popen(
            _python("judge.bench.floor", str(problem.folder)),
            env=grader_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def once(self) -> dict[str, float]:
        """``wall_s`` and ``cpu_s`` of all cases, called one after the other. Raises Unknown."""
        try:
            _pipe(self._process.stdin).write("\n")
            _pipe(self._process.stdin).flush()
            told: dict[str, float] = json.loads(_pipe(self._process.stdout).readline())
        except (OSError, ValueError) as error:
            raise Unknown(f"the floor's process ended: {error}") from error
        return told

    def __enter__(self) -> Floor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()


def machine() -> dict[str, object]:
    """See judge.bench.machine; in a process of its own, since it imports torch."""
    told = subprocess.run(
        _python("judge.bench.machine"),
        env=grader_environment(),
        capture_output=True,
        check=True,
        timeout=_LIMIT_S,
    )
    found: dict[str, object] = json.loads(told.stdout)
    return found


def fresh_pytest(problem: Problem) -> float:
    """Wall seconds of a new interpreter that imports torch and runs the cases with pytest. Raises Unknown."""
    environment = {**grader_environment(), FOLDER: str(problem.folder)}
    command = [*_python("pytest"), *_pytest_arguments(str(problem.folder))]

    def run() -> None:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=_LIMIT_S)
        if done.returncode:
            raise Unknown(
                f"pytest ended with {done.returncode}: {done.stdout.decode(errors='replace')[-300:]}"
            )

    return timed(run)


class Container:
    """``docker run`` of this version's image, once for each judgement. Raises Unknown where there is none."""

    def __init__(self) -> None:
        from sandbox.engine import connect
        from sandbox.image.version import image_tag

        engine, reason = connect()
        if engine is None:
            raise Unknown(str(reason))
        from docker.errors import APIError, ImageNotFound

        self._engine, self._image = engine, image_tag()
        try:
            engine.images.get(self._image)
        except (ImageNotFound, APIError):
            raise Unknown(f"the image {self._image} is missing; `make image` builds it") from None

    def once(self, problem: Problem) -> float:
        """Wall seconds from the order to the end of the container, with import of torch and pytest of the cases."""
        from docker.errors import DockerException

        folder = f"{_PLACE}/problem"
        mounts = {str(ROOT): f"{_PLACE}/repository", str(problem.folder): folder, **_pure_mounts()}
        environment = {
            FOLDER: folder,
            "PYTHONPATH": f"{_LIBRARIES}:{_PLACE}/repository:{_PLACE}/repository/reference_impl:{_PLACE}/pure",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "OMP_NUM_THREADS": "1",
            "HOME": "/tmp",
        }

        def run() -> None:
            try:
                self._engine.containers.run(
                    self._image,
                    ["-s", "-P", "-B", "-m", "pytest", *_pytest_arguments(folder)],
                    entrypoint="python3",
                    remove=True,
                    network_mode="none",
                    environment=environment,
                    volumes={source: {"bind": target, "mode": "ro"} for source, target in mounts.items()},
                )
            except (DockerException, OSError) as error:
                raise Unknown(f"docker run failed: {str(error)[-300:]}") from error

        return timed(run)


def _pure_mounts() -> dict[str, str]:
    mounts = {}
    for name in _PURE:
        found = importlib.util.find_spec(name)
        if found is None or found.origin is None:
            raise Unknown(f"{name} is not installed")
        origin = Path(found.origin)
        if origin.name == "__init__.py":
            mounts[str(origin.parent)] = f"{_PLACE}/pure/{name}"
        else:
            mounts[str(origin)] = f"{_PLACE}/pure/{origin.name}"
    return mounts


def _python(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-P", "-s", "-B", "-m", module, *arguments]


def _pytest_arguments(folder: str) -> list[str]:
    options = ["-q", "-p", "judge.bench.inprocess", "-p", "no:cacheprovider", "-c", os.devnull]
    options += ["--rootdir", folder, "--noconftest", "--import-mode=importlib"]
    return [*options, f"{folder}/tests/test_examples.py", f"{folder}/tests/test_hidden.py"]


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream
