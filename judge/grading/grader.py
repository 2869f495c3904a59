"""The parent's handle on the warm grader: starts it, starts it again when it dies, and sends it requests.

Nothing here imports torch: a command line that only lists problems stays quick.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from judge.grading.link import send_request
from judge.problem import Problem
from sandbox.contract import SandboxFault

if TYPE_CHECKING:
    from sandbox.pool import Pool

ROOT = Path(__file__).resolve().parents[2]
_STOP_S = 2.0


class Grader:
    """One warm grader over one pool of zygotes; a context manager. Thread-safe: judgements run side by side."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._sock: socket.socket | None = None
        self._log: IO[bytes] | None = None
        self._closed = False

    def __enter__(self) -> Grader:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The warm grader's process id while one is there."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Starts the warm grader if none is alive; returns at once, requests wait until it has imported."""
        with self._lock:
            self._ensure()

    def close(self) -> None:
        """Ends the warm grader and with it every judgement; it is not started again."""
        with self._lock:
            self._closed = True
            self._stop()

    def prepare(self, problem: Problem) -> None:
        """Makes the template of ``problem`` ahead of its first judgement."""
        self._send(problem, [])

    def begin(self, problem: Problem, control: socket.socket) -> socket.socket:
        """Starts a judgement that uses the zygote behind ``control``; the stream for its job and events.

        Raises:
            SandboxFault: the warm grader cannot be started.
        """
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with far:
            try:
                self._send(problem, [control.fileno(), far.fileno()])
            except BaseException:
                near.close()
                raise
        return near

    def last_words(self) -> str:
        """The end of what the warm grader wrote to its error output: why it could not start."""
        if self._log is None:
            return ""
        with self._lock:
            size = os.fstat(self._log.fileno()).st_size
            text = os.pread(self._log.fileno(), 2000, max(0, size - 2000)).decode(errors="replace")
        return text.strip().rpartition("\n")[2]

    def _send(self, problem: Problem, fds: list[int]) -> None:
        request = {"folder": str(problem.folder), "version": problem.version}
        for last in (False, True):
            with self._lock:
                try:
                    send_request(self._ensure(), request, fds)
                    return
                except OSError as error:
                    self._stop()
                    if last:
                        raise SandboxFault(f"the grader does not answer: {error}") from error

    def _ensure(self) -> socket.socket:
        if self._closed:
            raise SandboxFault("the grader is closed")
        if self._process is None or self._sock is None or self._process.poll() is not None:
            self._stop()
            self._launch()
        assert self._sock is not None
        return self._sock

    def _launch(self) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process that writes to it
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far:
            self._process = subprocess.Popen(
                # -P and -s: nothing of the working folder or of the user's own packages gets in
                [sys.executable, "-P", "-s", "-B", "-m", "judge.grading.warm", str(far.fileno())],
                cwd="/",
                env=grader_environment(),
                pass_fds=[far.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._log,
                start_new_session=True,  # the terminal's interrupt is for the parent
            )
        self._sock = near

    def _stop(self) -> None:
        if self._sock is not None:
            self._sock.close()
        if self._process is not None:
            try:
                self._process.wait(0 if self._process.poll() is not None else _STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = self._sock = None


def grader_environment() -> dict[str, str]:
    """All that the grader knows of the machine: no key, no address, and one order of sets everywhere."""
    kept: dict[str, Any] = {
        name: os.environ[name] for name in ("TMPDIR", "LD_LIBRARY_PATH") if name in os.environ
    }
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}
    # memory that was given back is kept for the next tensor: else each page of it is cleared by the kernel again
    memory = {
        "MALLOC_MMAP_THRESHOLD_": 32 << 20,
        "MALLOC_TRIM_THRESHOLD_": 256 << 20,
        "MALLOC_TOP_PAD_": 4 << 20,
    }
    kept |= {name: str(size) for name, size in memory.items()}
    path = os.pathsep.join([str(ROOT), str(ROOT / "reference_impl")])
    fixed = {"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": tempfile.gettempdir(), "PYTHONHASHSEED": "0"}
    return {**kept, **threads, **fixed, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
