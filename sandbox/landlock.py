"""Backend ``landlock``: a bare process, held by Landlock, seccomp and rlimits alone. Needs no engine and no root."""

from __future__ import annotations

import os
import platform
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from sandbox import syscalls
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
_LAUNCH = "import sys; sys.path.insert(0, {folder!r}); from cell import zygote; zygote.main(sys.argv[1:])"


class LandlockBackend(Backend):
    """Starts zygotes as children of this process, with this interpreter."""

    name = "landlock"

    def __init__(self, settings: Settings, folder: Path = _HERE) -> None:
        """``folder`` holds the package ``cell``."""
        self._settings = settings
        self._folder = folder

    def available(self) -> Reason:
        """Asks the kernel for Landlock and seccomp, and the interpreter for torch."""
        if not sys.platform.startswith("linux"):
            return Reason("needs Linux (on Windows: WSL2)", "需要 Linux（Windows 上请用 WSL2）")
        if platform.machine() not in syscalls.AUDIT_ARCH:
            return Reason(
                f"no list of system calls for {platform.machine()}; use x86_64 or aarch64",
                f"没有 {platform.machine()} 的系统调用清单；请在 x86_64 或 aarch64 上使用",
            )
        if min(kernel.landlock_abi(), self._settings.max_landlock_abi) < 1:
            return Reason(
                "this kernel has no Landlock (5.13 or newer with lsm=landlock); use docker",
                "内核没有 Landlock（需 5.13 以上并启用 lsm=landlock）；请改用 docker",
            )
        if not kernel.has_seccomp():
            return Reason(
                "this kernel has no seccomp filters; use docker", "内核不支持 seccomp 过滤器；请改用 docker"
            )
        return torch_missing()

    def protections(self, facts: dict[str, Any]) -> Protections:
        """See Backend."""
        return {
            "boundary": "process",
            "network": "no sockets",
            "files": "read-only libraries",
            "landlock": f"abi {facts['landlock_abi']}",
            "seccomp": "allowlist",
            "processes": "none",
            "user": "uid 0 without capabilities" if facts["uid"] == 0 else f"uid {facts['uid']}",
            "memory": "address space",
        }

    def start(self) -> Zygote:
        """See Backend."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            process = self._launch(theirs.fileno())

        def end() -> None:
            process.kill()
            process.wait()

        return await_process(ours, process, end, self._settings.start_limit_s)

    def _launch(self, control: int) -> subprocess.Popen[bytes]:
        code = _LAUNCH.format(folder=str(self._folder))
        arguments = [str(control), str(self._settings.max_landlock_abi)]
        # dynamo makes its cache's folder at import; this one exists already and nothing is ever written there
        environment = zygote_environment({"TORCHINDUCTOR_CACHE_DIR": str(self._folder / "cell")})
        return subprocess.Popen(
            [sys.executable, "-s", "-P", "-c", code, *arguments],
            pass_fds=[control],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=os.sep,
            start_new_session=True,  # the terminal's interrupt is for the judge
        )
