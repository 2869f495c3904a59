"""Starts a container engine for the tests where none answers: ``python -m tests.engine start`` (or ``stop``), as root.

The daemon makes no bridge and touches no firewall, since no container of ours has a network.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sandbox.engine import connect

_PID_FILE = Path(tempfile.gettempdir(), "judge-test-engine.pid")
_LOG = Path(tempfile.gettempdir(), "judge-test-engine.log")
_START_LIMIT_S = 60


def start() -> str:
    """An empty string once an engine answers, else why none does."""
    if connect(timeout_s=5)[0] is not None:
        return ""
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        return "no engine answers, and starting one needs root and dockerd"
    with _LOG.open("wb") as log:
        daemon = subprocess.Popen(
            ["dockerd", "--iptables=false", "--bridge=none"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _PID_FILE.write_text(str(daemon.pid), "ascii")
    deadline = time.monotonic() + _START_LIMIT_S
    while time.monotonic() < deadline and daemon.poll() is None:
        if connect(timeout_s=5)[0] is not None:
            return ""
        time.sleep(0.5)
    return f"dockerd did not come up; see {_LOG}"


def stop() -> str:
    """End the daemon that start() began, if it did."""
    try:
        pid = int(_PID_FILE.read_text("ascii"))
    except FileNotFoundError:
        return ""
    _PID_FILE.unlink()
    command = Path(f"/proc/{pid}/cmdline")
    if command.exists() and b"dockerd" in command.read_bytes():
        os.kill(pid, signal.SIGTERM)
    return ""


if __name__ == "__main__":
    why_not = {"start": start, "stop": stop}[sys.argv[1]]()
    sys.exit(why_not or 0)
