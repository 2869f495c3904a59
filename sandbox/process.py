"""Backend ``process``: spare interpreters, each used once. Nothing is held back but time and memory: no boundary."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from sandbox.backend import (
    Backend,
    Reason,
    Settings,
    Zygote,
    await_process,
    torch_missing,
    zygote_environment,
)
from sandbox.contract import Protections

_ROOT = Path(__file__).resolve().parents[1]
_LAUNCH = (
    "import sys; sys.path.insert(0, {root!r}); from sandbox import supervisor; supervisor.main(sys.argv[1:])"
)
_END_WITHIN_S = 2.0


class ProcessBackend(Backend):
    """Starts supervisors of spare interpreters as children of this process."""

    name = "process"

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def available(self) -> Reason:
        """Asks the interpreter for torch."""
        if not sys.platform.startswith("linux"):  # the warm grader forks after importing torch
            return Reason(
                "the grader itself needs Linux; use a Linux virtual machine (on Windows: WSL2)",
                "评测进程本身需要 Linux；请使用 Linux 虚拟机（Windows 上请用 WSL2）",
            )
        return torch_missing()

    def protections(self, facts: dict[str, Any]) -> Protections:
        """See Backend."""
        return {
            "boundary": "none",
            "network": "open",
            "files": "open",
            "landlock": "none",
            "seccomp": "none",
            "processes": "open",
            "user": f"uid {facts['uid']}",
            "memory": "address space",
        }

    def start(self) -> Zygote:
        """See Backend."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            process = self._launch(theirs.fileno())

        def end() -> None:
            process.terminate()  # it takes its cell and its spare along
            try:
                process.wait(_END_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

        return await_process(ours, process, end, self._settings.start_limit_s)

    def _launch(self, control: int) -> subprocess.Popen[bytes]:
        code = _LAUNCH.format(root=str(_ROOT))
        cache = str(_ROOT / "sandbox" / "cell")  # exists already, and nothing is ever written there
        return subprocess.Popen(
            [sys.executable, "-s", "-P", "-c", code, str(control), str(self._settings.start_limit_s)],
            pass_fds=[control],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=zygote_environment({"TORCHINDUCTOR_CACHE_DIR": cache}),
            cwd=os.sep,
            start_new_session=True,  # the terminal's interrupt is for the judge
        )
