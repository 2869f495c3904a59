"""Backend ``namespace``: a zygote in namespaces of its own, made by bubblewrap. Needs no engine and no root.

It sees the interpreter, its libraries and sandbox/cell, read-only, and nothing else of the machine.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sandbox import binds, syscalls
from sandbox.backend import (
    Backend,
    Reason,
    Settings,
    Zygote,
    await_process,
    torch_missing,
    zygote_environment,
)
from sandbox.cell import kernel
from sandbox.contract import Protections

_HERE = Path(__file__).resolve().parent
_USER = 65534
_TRIAL_LIMIT_S = 20
_LAUNCH = (
    f"import sys; sys.path.insert(0, {binds.INSIDE!r}); from cell import zygote; zygote.main(sys.argv[1:])"
)
_TRIAL = f"""
import sys; sys.path.insert(0, {binds.INSIDE!r})
from cell import harden
harden.become(int(sys.argv[1]))
import importlib.util
open(importlib.util.find_spec("torch").origin).close()
open("/proc/self/statm").close()
"""
_PROFILE = (
    "sudo apt install apparmor-profiles && "
    "sudo cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && "
    "sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict"
)
# no --die-with-parent: the kernel binds that to the thread that started it, and the pool's threads are short-lived;
# a zygote ends when its control socket closes, and end() kills it by its process descriptor
_APART = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
_APART += ["--new-session", "--as-pid-1", "--hostname", "cell"]
# these come before what is bound: the project itself may lie below /tmp
_OWN = ["--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev"]
_CLOSED = [word for path in ("/tmp", "/dev", "/") for word in ("--remount-ro", path)] + ["--chdir", "/"]


class NamespaceBackend(Backend):
    """Starts zygotes through bwrap, with this interpreter."""

    name = "namespace"

    def __init__(self, settings: Settings, folder: Path = _HERE) -> None:
        """``folder`` holds the package ``cell``."""
        self._settings = settings
        self._folder = folder

    def available(self) -> Reason:
        """Looks for bwrap, and has it start an interpreter once."""
        if not sys.platform.startswith("linux"):
            return Reason("needs Linux (on Windows: WSL2)", "需要 Linux（Windows 上请用 WSL2）")
        if platform.machine() not in syscalls.AUDIT_ARCH or not kernel.has_seccomp():
            return Reason(
                "needs seccomp filters on x86_64 or aarch64; use docker",
                "需要 x86_64 或 aarch64 上的 seccomp 过滤器；请改用 docker",
            )
        if shutil.which("bwrap") is None:
            return Reason(
                "bwrap is not installed; install the package bubblewrap",
                "没有安装 bwrap；请安装软件包 bubblewrap",
            )
        if reason := torch_missing():
            return reason
        return why_not(self._trial_error)

    @functools.cached_property
    def _inner_user(self) -> int:
        """Whom root's zygotes become: nobody, or root without powers (-1) where nobody may not read the libraries."""
        return _USER if os.geteuid() == 0 and not self._try(_USER) else -1

    @functools.cached_property
    def _trial_error(self) -> str:
        """What bwrap or the interpreter said when they failed; empty when all is well."""
        return self._try(self._inner_user)

    def _try(self, user: int) -> str:
        command = self._command(["-c", _TRIAL, str(user)])
        try:
            tried = subprocess.run(
                command, env=zygote_environment(), capture_output=True, text=True, timeout=_TRIAL_LIMIT_S
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return (tried.stderr.strip().splitlines() or ["?"])[-1] if tried.returncode else ""

    def protections(self, facts: dict[str, Any]) -> Protections:
        """See Backend."""
        abi = facts["landlock_abi"]
        if os.geteuid() != 0:
            user = f"uid {os.geteuid()} in a user namespace"
        else:
            user = f"uid {facts['uid']}" if facts["uid"] else "uid 0 without capabilities"
        return {
            "boundary": "namespaces (bubblewrap)",
            "network": "none",
            "files": "read-only libraries",
            "landlock": f"abi {abi}" if abi else "none",
            "seccomp": "allowlist",
            "processes": "none",
            "user": user,
            "memory": "address space",
        }

    def start(self) -> Zygote:
        """See Backend."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            process, inside = self._launch(theirs.fileno())

        def end() -> None:
            if process.returncode is None and inside is not None:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(inside.fileno(), signal.SIGKILL)
            process.kill()
            process.wait()

        return await_process(ours, process, end, self._settings.start_limit_s)

    def _launch(self, control: int) -> tuple[subprocess.Popen[bytes], _Descriptor | None]:
        """bwrap's own process, and the one inside, which outlives it as root."""
        arguments = ["-c", _LAUNCH, str(control), str(self._settings.max_landlock_abi), str(self._inner_user)]
        told, tell = os.pipe()
        try:
            process = subprocess.Popen(
                self._command(arguments, ["--info-fd", str(tell)]),
                pass_fds=[control, tell],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=zygote_environment({"TORCHINDUCTOR_CACHE_DIR": f"{binds.INSIDE}/cell"}),
                start_new_session=True,  # the terminal's interrupt is for the judge
            )
        finally:
            os.close(tell)
        with open(told, "rb") as info:
            return process, _open_process(info.read())

    def _command(self, arguments: Sequence[str], options: Sequence[str] = ()) -> list[str]:
        if os.geteuid() == 0:
            powers = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        else:
            powers = ["--unshare-user", "--uid", str(_USER), "--gid", str(_USER), "--cap-drop", "ALL"]
        bound = binds.options(self._folder / "cell")
        shape = [*_APART, *_OWN, *bound, *_CLOSED]
        return ["bwrap", *powers, *shape, *options, sys.executable, "-s", "-P", *arguments]


class _Descriptor:
    """Owns a file descriptor: closed when nobody can use it any more."""

    def __init__(self, number: int) -> None:
        self._number = number

    def fileno(self) -> int:
        """The number."""
        return self._number

    def __del__(self) -> None:
        os.close(self._number)


def _open_process(info: bytes) -> _Descriptor | None:
    """A descriptor of the process that bwrap told of; None when there is none, or no more."""
    try:
        return _Descriptor(os.pidfd_open(json.loads(info)["child-pid"]))
    except (ValueError, KeyError, OSError):
        return None


def _number_in(path: str) -> int | None:
    try:
        return int(Path(path).read_text("ascii"))
    except (OSError, ValueError):
        return None


def why_not(error: str, number_in: Callable[[str], int | None] = _number_in) -> Reason:
    """What to do about a failed trial, by what it said and by the kernel's settings (``number_in`` reads one)."""
    if not error:
        return Reason()
    if number_in("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1:
        return Reason(
            f"AppArmor keeps bwrap from using user namespaces ({error}); allow it: {_PROFILE}",
            f"AppArmor 不让 bwrap 使用用户命名空间（{error}）；这样放行：{_PROFILE}",
        )
    for setting, value in (("kernel.unprivileged_userns_clone", "1"), ("user.max_user_namespaces", "15000")):
        if number_in("/proc/sys/" + setting.replace(".", "/")) == 0:
            return Reason(
                f"the kernel does not allow user namespaces ({error}); allow them: sudo sysctl {setting}={value}",
                f"内核不允许用户命名空间（{error}）；这样放行：sudo sysctl {setting}={value}",
            )
    return Reason(
        f"bubblewrap could not start an interpreter here ({error}); use docker or landlock",
        f"bubblewrap 无法在这里启动解释器（{error}）；请改用 docker 或 landlock",
    )
