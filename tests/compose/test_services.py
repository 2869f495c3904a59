"""docker-compose.yml as an operator uses it: both services are built and started, and judge #189."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sandbox.engine import connect
from sandbox.image.build import inspect_base
from sandbox.image.version import LIBRARIES_REPOSITORY
from tests.compose.context import ROOT, copy_checkout, stage_wheels
from tests.compose.site import Browser, wait_until_up
from tests.conftest import missing

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]
PROBLEM = ROOT / "problems" / "minisgl" / "189-ms-attn-metadata"
PASSWORD = "correct horse battery"
JUDGE = ["python3", "practice/judge.py"]
REACH = (
    "import socket; s = socket.socket(socket.AF_UNIX); s.connect('/var/run/docker.sock'); print('reached')"
)


@dataclass(frozen=True)
class Composed:
    """The running services of one project."""

    project: str
    folder: Path
    environ: dict[str, str]
    browser: Browser

    def compose(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run the compose tool on the project."""
        ran = subprocess.run(
            ["docker-compose", "-p", self.project, *words],
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0 or not check, f"{words}: {ran.stdout[-3000:]}{ran.stderr[-3000:]}"
        return ran

    def run_in(self, service: str, *command: str, check: bool = True) -> str:
        """What a command in a service's container prints, errors included."""
        ran = self.compose("exec", "-T", service, *command, check=check)
        return ran.stdout + ran.stderr

    def inspect(self, service: str) -> dict[str, Any]:
        """What the engine says of a service's container."""
        container = self.compose("ps", "-q", service).stdout.strip()
        engine, reason = connect(timeout_s=60)
        assert engine is not None, reason
        found: dict[str, Any] = engine.api.inspect_container(container)
        return found


@pytest.fixture(scope="module")
def libraries() -> str:
    """The image with torch that `make image` built last: the services share its layers, and nothing is pulled."""
    if shutil.which("docker-compose") is None:
        missing("docker-compose is not installed")
    engine, reason = connect(timeout_s=60)
    if engine is None:
        missing(str(reason))
    images = sorted(engine.images.list(name=LIBRARIES_REPOSITORY), key=lambda image: image.attrs["Created"])
    if not images:
        missing("no image of the libraries; build it with `make image`")
    return str(images[-1].tags[0])


@pytest.fixture(scope="module")
def composed(libraries: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Composed]:
    """The services, built from a copy of this checkout and started."""
    folder, run_folder = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("run")
    copy_checkout(folder)
    engine, _ = connect(timeout_s=60)
    assert engine is not None
    stage_wheels(inspect_base(engine, libraries), folder / "deploy" / "wheels")
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{sock.getsockname()[1]}"
    project = f"judgetest{os.getpid()}"
    environ = {key: value for key, value in os.environ.items() if not key.startswith("JUDGE_")}
    environ |= {"BASE": libraries, "JUDGE_TAG": project, "JUDGE_PUBLISH": place, "JUDGE_LANG": "zh"}
    environ |= {"JUDGE_RUN_FOLDER": str(run_folder), "JUDGE_WORKERS": "1"}
    services = Composed(project, folder, environ, Browser(f"http://{place}"))
    try:
        services.compose("up", "-d", "--build")
        try:
            wait_until_up(services.browser)
        except TimeoutError:
            pytest.fail(services.compose("logs").stdout[-4000:])
        yield services
    finally:
        services.compose("down", "-v", "--remove-orphans", check=False)
        for name in ("app", "cell"):
            engine.images.remove(f"minisgl-judge-{name}:{project}", force=True)


@pytest.fixture(scope="module")
def anna(composed: Composed) -> Browser:
    """A learner who logged in with a one-time code and chose a password."""
    told = composed.run_in("web", *JUDGE, "user", "add", "anna")
    code = re.search(r"[0-9A-Z]{4}(-[0-9A-Z]{4}){2}", told)
    assert code, told
    composed.browser.send_form("/login", name="anna", password=code[0])
    composed.browser.send_form("/password", old=code[0], new=PASSWORD, again=PASSWORD)
    return composed.browser


def test_the_reference_solution_is_accepted(anna: Browser) -> None:
    view = anna.submit("189", (PROBLEM / "solution.py").read_text("utf-8"))
    assert (view["verdict"], view["score"]) == ("AC", 100.0), view
    assert view["cases"] and all(case["verdict"] == "AC" for case in view["cases"])


def test_a_wrong_solution_is_told_its_mistake(anna: Browser) -> None:
    view = anna.submit("ms-attn-metadata", (PROBLEM / "mutants" / "mask_top_left.py").read_text("utf-8"))
    assert view["verdict"] == "WA" and view["score"] < 100
    advice = tomllib.loads((PROBLEM / "messages.zh.toml").read_text("utf-8"))["advice"]
    assert advice["mask-top-left"].strip() in {case.get("advice", "").strip() for case in view["cases"]}


def test_web_has_no_way_to_the_engine(composed: Composed) -> None:
    web = composed.inspect("web")
    mounted = {mount["Destination"]: mount["Type"] for mount in web["Mounts"]}
    assert mounted == {"/data": "volume", "/run/judge": "volume"}
    assert web["HostConfig"]["CapDrop"] == ["ALL"] and not web["HostConfig"]["Privileged"]
    assert not any("DOCKER" in setting for setting in web["Config"]["Env"])
    tried = composed.run_in("web", ".venv/bin/python", "-c", REACH, check=False)
    assert "reached" not in tried and "FileNotFoundError" in tried
    solution = str(Path("problems/minisgl") / PROBLEM.name / "solution.py")
    alone = ["env", "JUDGE_DATA=/tmp/elsewhere", *JUDGE, "test", "189", solution]
    assert "没有容器引擎应答" in composed.run_in("web", *alone, check=False)
    assert "由正在使用这个数据文件夹的服务评测" in composed.run_in("web", *JUDGE, "test", "189", solution)


def test_the_grader_has_neither_database_nor_port(composed: Composed) -> None:
    grader = composed.inspect("grader")
    mounted = {mount["Destination"] for mount in grader["Mounts"]}
    assert mounted == {"/run/judge", "/var/run/docker.sock", composed.environ["JUDGE_RUN_FOLDER"]}
    assert grader["HostConfig"]["NetworkMode"] == "none" and not grader["NetworkSettings"]["Ports"]
    assert composed.inspect("web")["NetworkSettings"]["Ports"]["8000/tcp"]
    assert "JUDGE_DATA" not in str(grader["Config"]["Env"])
    assert "judge.sqlite3" in composed.run_in("web", "ls", "/data").split()
    assert "judge.sqlite3" not in composed.run_in("grader", "ls", "/data", "/opt/judge", check=False)
    interfaces = composed.run_in("grader", "cat", "/proc/net/dev").splitlines()[2:]
    assert [line.split(":")[0].strip() for line in interfaces] == ["lo"]


def test_submissions_run_in_the_image_that_was_built_beside(composed: Composed) -> None:
    engine, _ = connect(timeout_s=60)
    assert engine is not None
    cells = engine.containers.list(
        filters={"ancestor": f"minisgl-judge-cell:{composed.environ['JUDGE_TAG']}"}
    )
    assert cells and all(cell.attrs["HostConfig"]["NetworkMode"] == "none" for cell in cells)
    told = composed.run_in("web", *JUDGE, "doctor")
    assert "docker" in told and "✗" not in told


def test_a_grader_that_is_killed_comes_back_and_nothing_is_lost(anna: Browser, composed: Composed) -> None:
    composed.compose("kill", "-s", "SIGKILL", "grader")
    composed.compose("start", "grader")
    view = anna.submit("189", (PROBLEM / "solution.py").read_text("utf-8"))
    assert view["verdict"] == "AC"
