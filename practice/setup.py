#!/usr/bin/env python3
"""One script that sets everything up: `.venv`, packages, PyTorch, the editor bundle, the database.

    python3 practice/setup.py          what `make serve` needs (no test tools)
    python3 practice/setup.py test     the test tools as well, then lint, types and tests

Standard library only, and readable by any python3 from 3.7 on, so that an old one gets a sentence and not a traceback.
Each step leaves its key in `.venv/setup.json`; a step whose key has not changed is not done again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMPS = VENV / "setup.json"
TORCH_VERSION = "2.13.0"
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
NEED_GB = 1.5
VERSIONS = ((3, 11), (3, 14))
WORDS: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("setup_words.json").read_text("utf-8"))


class SetupError(Exception):
    """An obstacle, in one line that says what to do."""


def text(key: str, **values: object) -> str:
    """The sentence of that key in the reader's language: JUDGE_LANG, else a zh or en locale, else zh."""
    locale = os.environ.get("JUDGE_LANG") or os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    return WORDS["en" if locale.startswith("en") else "zh"][key].format(**values)


def say(key: str, **values: object) -> None:
    """One line of progress."""
    print(text(key, **values), flush=True)


def usable_python() -> str:
    """The interpreter to build on: PYTHON, this one, or the newest supported on PATH; SetupError when there is none."""
    candidates = [os.environ.get("PYTHON") or "", sys.executable, "python3"]
    candidates += [f"python3.{minor}" for minor in range(VERSIONS[1][1], VERSIONS[0][1] - 1, -1)]
    found = ""
    for candidate in filter(None, candidates):
        path = shutil.which(candidate)
        asked = path and subprocess.run(
            [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True
        )
        if not path or not asked or asked.returncode:
            continue
        version = tuple(int(part) for part in asked.stdout.split("."))
        if VERSIONS[0] <= version <= VERSIONS[1]:
            return path
        found = found or "Python " + asked.stdout.strip()
    raise SetupError(text("python", version=found or "no python3"))


def stamps() -> dict[str, str]:
    """Keys of the steps done so far; empty when `.venv` is missing or its interpreter is gone."""
    try:
        done = json.loads(STAMPS.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return done if PYTHON.exists() else {}


def stamp(step: str, key: str) -> None:
    """Remember that a step is done."""
    STAMPS.write_text(json.dumps({**stamps(), step: key}, indent=1), "utf-8")


def is_ready() -> bool:
    """Whether `.venv` holds all that the judge needs to start (not whether it is up to date)."""
    done = stamps()
    return "packages" in done and "torch" in done


def pip(what: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the environment's pip with the user's own settings; SetupError with its last line on failure."""
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        lines = [line for line in ran.stderr.splitlines() if line.strip()] or [f"exit {ran.returncode}"]
        errors = [line for line in lines if line.startswith("ERROR")]
        raise SetupError(text("pip", what=what, error=(errors or lines)[-1]))
    return ran


def make_venv() -> None:
    """Step 1: `.venv` on a supported interpreter; a broken one is made anew."""
    if (
        PYTHON.exists()
        and subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True).returncode == 0
    ):
        return
    python = usable_python()
    say("sizes")
    free = shutil.disk_usage(str(ROOT)).free / 1e9
    if free < NEED_GB:
        raise SetupError(text("space", free=free, need=NEED_GB, path=ROOT))
    version = subprocess.run(
        [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True
    ).stdout.strip()
    say("step_venv", version=version)
    made = subprocess.run([python, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True)
    if made.returncode:
        shutil.rmtree(str(VENV), ignore_errors=True)
        raise SetupError(text("venv", python=python, version=version))


def requirements(group: str) -> list[str]:
    """The pinned packages of pyproject.toml: "run" for the judge, "test" for the test tools."""
    command = "import json, sys, tomllib; print(json.dumps(tomllib.load(open(sys.argv[1], 'rb'))))"
    read = subprocess.run(
        [str(PYTHON), "-c", command, str(ROOT / "pyproject.toml")], capture_output=True, text=True, check=True
    )
    project = json.loads(read.stdout)
    return list(project["project"]["dependencies"] if group == "run" else project["dependency-groups"][group])


def install_packages(group: str, step: str) -> None:
    """Step 2: the pinned packages, and the project itself on the environment's path."""
    wanted = requirements(group)
    key = hashlib.sha256("\n".join(wanted).encode()).hexdigest()
    if stamps().get(step) != key:
        say("step_packages", what=group)
        pip(f"{len(wanted)} packages", "install", "--quiet", *wanted)
        site = subprocess.run(
            [str(PYTHON), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        Path(site, "minisgl_practice.pth").write_text(f"{ROOT}\n", "utf-8")
        stamp(step, key)


def has_nvidia_driver() -> bool:
    """Whether a CUDA build of torch could run here."""
    return os.path.exists("/proc/driver/nvidia/version") or shutil.which("nvidia-smi") is not None


def torch_arguments() -> tuple[str, list[str]]:
    """How to install torch here, as (words key, pip arguments): plain, or from the CPU index where the plan brings CUDA."""
    wanted = "torch==" + TORCH_VERSION
    index = os.environ.get("TORCH_INDEX", "")
    if index == "default":
        return "torch_plain", [wanted]
    if not index:
        plan = pip(wanted, "install", "--quiet", "--dry-run", "--report", "-", wanted).stdout
        names = [item["metadata"]["name"].lower() for item in json.loads(plan[plan.index("{") :])["install"]]
        cuda = any(name.startswith(("nvidia-", "cuda-")) for name in names)
        if not cuda or has_nvidia_driver():
            return "torch_plain", [wanted]
    return "torch_cpu", [wanted, "--index-url", index or TORCH_CPU_INDEX]


def install_torch() -> None:
    """Step 3: torch, never the 3 to 4 GB CUDA build on a machine without an NVIDIA driver."""
    probe = "import torch; print(torch.__version__)"
    if "torch" in stamps():
        return
    if subprocess.run([str(PYTHON), "-c", probe], capture_output=True).returncode == 0:
        stamp("torch", TORCH_VERSION)
        return
    kind, arguments = torch_arguments()
    say("step_torch", version=TORCH_VERSION, kind=text(kind))
    try:
        pip("torch", "install", "--quiet", *arguments)
    except SetupError as error:
        if kind == "torch_cpu":
            raise SetupError(text("torch_stop", index=arguments[-1])) from error
        raise
    stamp("torch", TORCH_VERSION)


def build_bundle() -> None:
    """Step 4: Monaco as static files. Not fatal: the site falls back to a text area and says why."""
    builder = ROOT / "web" / "bundle" / "build.py"
    inputs = [builder, *(ROOT / "web" / "bundle" / name for name in ("package-lock.json", "build.mjs"))]
    key = hashlib.sha256(b"\0".join(path.read_bytes() for path in inputs)).hexdigest()
    if stamps().get("bundle") == key and (ROOT / "web" / "static" / "vendor").is_dir():
        return
    say("step_bundle")
    ran = subprocess.run(
        [str(PYTHON), str(builder)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if ran.returncode:
        print(text("bundle", error=(ran.stdout.strip().splitlines() or ["?"])[-1]), file=sys.stderr)
    else:
        stamp("bundle", key)


def prepare_database() -> None:
    """Step 5: the database at this version's schema (the server does the same at its start)."""
    versions = sorted((ROOT / "judge" / "migrations" / "versions").glob("*.py"))
    key = versions[-1].name
    if stamps().get("database") == key:
        return
    say("step_database")
    ran = subprocess.run(
        [str(PYTHON), str(ROOT / "practice" / "judge.py"), "db", "upgrade"], capture_output=True, text=True
    )
    if ran.returncode:
        raise SetupError(text("database", error=(ran.stderr.strip() or ran.stdout.strip()).splitlines()[-1]))
    stamp("database", key)


def prepare(test: bool = False) -> None:
    """All steps in order, under a lock so that two set-ups of one folder wait for each other."""
    try:
        lock = open(str(ROOT / ".setup.lock"), "w")  # noqa: SIM115 (held until the steps are done)
    except OSError as error:
        raise SetupError(text("write", path=ROOT, error=error.strerror)) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("busy")
            fcntl.flock(lock, fcntl.LOCK_EX)
        make_venv()
        install_packages("run", "packages")
        if test:
            install_packages("test", "test")
        install_torch()
        build_bundle()
        prepare_database()


def prepare_or_exit(test: bool = False) -> None:
    """`prepare`, with an obstacle printed as its one line and exit status 2."""
    try:
        prepare(test)
    except SetupError as obstacle:
        print(obstacle, file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(text("write", path=error.filename or ROOT, error=error.strerror), file=sys.stderr)
        sys.exit(2)


PARALLEL = ("--numprocesses=3", "--dist=loadfile", "--no-loadscope-reorder")


def run_tests(arguments: list[str]) -> int:
    """Lint, types, import arrows, then the tests; the first failure's status."""
    bin_folder = VENV / "bin"
    for command in (
        [str(bin_folder / "ruff"), "check", "--quiet", "."],
        [str(bin_folder / "ruff"), "format", "--check", "--quiet", "."],
        [str(bin_folder / "lint-imports"), "--no-cache"],
        [str(bin_folder / "mypy")],
        # in the order of the files: the longest, of one test each, would all come last in xdist's
        [str(PYTHON), "-m", "pytest", *PARALLEL, *arguments],
    ):
        print("$ " + " ".join(command).replace(str(ROOT) + os.sep, ""), flush=True)
        status = subprocess.run(command, cwd=str(ROOT)).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    asked_test = sys.argv[1:2] == ["test"]
    prepare_or_exit(asked_test)
    sys.exit(run_tests(sys.argv[2:]) if asked_test else 0)
