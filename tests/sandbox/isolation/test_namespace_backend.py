"""What bubblewrap is told, what a failed trial comes to, and that a plain user has the backend too."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from judge import doctor
from judge.config import Config
from sandbox import binds, namespace, pool
from sandbox.backend import NoBackend, choose
from sandbox.namespace import NamespaceBackend, why_not
from sandbox.pool import Settings, all_backends
from tests.sandbox.isolation.cells import Submit, backend_named

ROOT = Path(__file__).resolve().parents[3]
# root's home may be closed to others, and the interpreter may lie there: seen from here, it is open
_AS_PLAIN_USER = """
set -e
home=/root
mkdir -p "$2/home" && mount --bind "$home" "$2/home"
mount -t tmpfs -o mode=755 none "$home"
for name in $(ls -A "$2/home"); do [ -d "$2/home/$name" ] && mkdir "$home/$name" && mount --bind "$2/home/$name" "$home/$name"; done
exec setpriv --reuid 1000 --regid 1000 --clear-groups "$1" -c "$3"
"""
_CANARY = """
from sandbox.canary import run_canary
from sandbox.pool import Settings, open_pool
with open_pool("namespace", size=1, settings=Settings(spares=0)) as pool:
    print(pool.protections["user"], [str(finding) for finding in run_canary(pool)])
"""
_CLOSED = "bwrap: setting up uid map: Permission denied"


@pytest.mark.parametrize("backend", ["namespace"], indirect=True, scope="session")
def test_a_cell_sees_the_libraries_and_nothing_else(submit: Submit) -> None:
    main = submit("import os\ndef main(path): return os.path.exists(path)")
    assert main(os.__file__)
    for path in (
        "/etc/passwd",
        "/usr/bin",
        "/usr/bin/env",
        "/sys/kernel",
        "/var",
        str(ROOT / "judge"),
        str(ROOT / "tests"),
    ):
        assert not main(path), path


def test_a_plain_user_can_have_it(tmp_path: Path) -> None:
    backend_named("namespace")
    if os.geteuid() != 0:
        pytest.skip("the whole suite runs as a plain user already")
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not here")
    tmp_path.chmod(0o755)
    command = ["unshare", "-m", "sh", "-c", _AS_PLAIN_USER, "sh", sys.executable, str(tmp_path), _CANARY]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    told = subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, timeout=170)
    assert told.stdout == "uid 1000 in a user namespace []\n", told.stderr


def test_every_folder_that_leads_to_a_bound_path_is_made_for_all_to_enter(tmp_path: Path) -> None:
    options = binds.options(tmp_path)
    made = {options[at + 1] for at, word in enumerate(options) if word == "--dir"}
    bound = {options[at + 2]: options[at + 1] for at, word in enumerate(options) if word == "--ro-bind"}
    assert bound[f"{binds.INSIDE}/cell"] == str(tmp_path)
    for path in bound:
        assert all(str(parent) in made | {"/"} | set(bound) for parent in Path(path).parents), path


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"kernel/apparmor_restrict_unprivileged_userns": 1}, "bwrap-userns-restrict"),
        ({"kernel/unprivileged_userns_clone": 0}, "kernel.unprivileged_userns_clone=1"),
        ({"user/max_user_namespaces": 0}, "user.max_user_namespaces=15000"),
        ({"kernel/apparmor_restrict_unprivileged_userns": 0}, "docker"),
    ],
)
def test_what_stands_in_the_way_comes_with_what_to_do(settings: dict[str, int], told: str) -> None:
    reason = why_not(_CLOSED, lambda path: settings.get(path.removeprefix("/proc/sys/")))
    for line in (reason.text("en"), reason.text("zh")):
        assert told in line and _CLOSED in line and "\n" not in line
    assert not why_not("", lambda path: 0)


def test_a_project_below_tmp_is_not_hidden_by_the_private_tmp() -> None:
    command = NamespaceBackend(Settings())._command([])
    assert command.index("--tmpfs") < command.index("--ro-bind") < command.index("--remount-ro")


_FAILING = """#!/bin/sh
echo 'bwrap: setting up uid map: Permission denied' >&2
exit 1
"""


def test_a_bubblewrap_that_fails_is_passed_over_and_the_doctor_says_what_would_allow_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a distribution whose AppArmor keeps programs from user namespaces."""
    backend_named("landlock")
    (tmp_path / "bwrap").write_text(_FAILING)
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setattr(NamespaceBackend, "_command", lambda *_: [str(tmp_path / "bwrap")])
    restricted = {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": 1}
    monkeypatch.setattr(namespace, "why_not", lambda error: why_not(error, restricted.get))
    backends = all_backends(Settings(), 2048)[1:]
    assert choose("auto", backends).name == "landlock"
    reason = NamespaceBackend(Settings()).available()
    assert _CLOSED in reason.text("en") and "bwrap-userns-restrict" in reason.text("zh")
    config = Config.from_env({"JUDGE_DATA": str(tmp_path), "JUDGE_SANDBOX": "process"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "open_pool", lambda *_, **__: (_ for _ in ()).throw(NoBackend({})))
        lines = [finding.text for finding in doctor._sandbox(config, "en")]
    assert any("namespace" in line and "apparmor_parser -r" in line for line in lines)
