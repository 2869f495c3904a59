"""What a sandbox backend is, and which one ``auto`` takes."""

from __future__ import annotations

import importlib.util
import json
import os
import select
import socket
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from sandbox.contract import Protections, SandboxFault

_MAX_HELLO = 16 * 1024


@dataclass(frozen=True)
class Settings:
    """How zygotes are started and kept; the defaults suit a learner's own machine."""

    image: str = ""  # of the docker backend; empty: this version's own
    runtime: str = ""  # of the engine, for instance "runsc"; empty: the engine's default
    run_folder: str = ""  # where control sockets are made; empty: a private temporary folder
    spares: int = 1  # warm zygotes beside those that may be in use
    recycle_after: int = 200  # submissions a zygote serves
    start_limit_s: float = 120.0  # on a busy machine torch takes half a minute to import
    max_landlock_abi: int = 99  # lower it to see how an older kernel does


def reader_language() -> str:
    """``zh`` or ``en``: JUDGE_LANG, else a zh or en locale, else zh."""
    locale = os.environ.get("JUDGE_LANG") or os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    return "en" if locale.startswith("en") else "zh"


@dataclass(frozen=True)
class Reason:
    """One line that says why something cannot be had and what to do; false when nothing is missing."""

    en: str = ""
    zh: str = ""

    def __bool__(self) -> bool:
        return bool(self.en)

    def __str__(self) -> str:
        return self.en

    def text(self, lang: str) -> str:
        """The line in ``zh`` or ``en``."""
        return self.zh if lang == "zh" else self.en


class NoBackend(Exception):
    """No sandbox can be had here. ``reasons``: one for each backend that was asked."""

    def __init__(self, reasons: dict[str, Reason]) -> None:
        super().__init__("; ".join(f"{name}: {reason}" for name, reason in reasons.items()))
        self.reasons = reasons

    def lines(self, lang: str) -> list[str]:
        """One line a backend."""
        return [f"{name}: {reason.text(lang)}" for name, reason in self.reasons.items()]


@dataclass(eq=False)
class Zygote:
    """The trusted parent's handle of a zygote. ``control`` may be passed on to one judgement at a time."""

    control: socket.socket
    facts: dict[str, Any]  # what it said of itself: python, torch, landlock_abi, uid, rss_mib, calibration_s
    end: Callable[[], None]  # ends its container or process at once; may be called again
    name: str = ""
    served: int = field(default=0)

    @property
    def alive(self) -> bool:
        """Whether its end of the control socket is still open."""
        poller = select.poll()
        try:
            poller.register(self.control, select.POLLRDHUP)
        except ValueError:  # it is closed, perhaps by another thread just now
            return False
        return not poller.poll(0)

    def kill(self) -> None:
        """End it at once, and its cell with it. May be called again."""
        self.end()
        self.control.close()


class Backend(ABC):
    """A way to start zygotes."""

    name: str

    @abstractmethod
    def available(self) -> Reason:
        """Why this backend cannot be used here (false: it can)."""

    @abstractmethod
    def protections(self, facts: dict[str, Any]) -> Protections:
        """What it protects with, given what one of its zygotes said of itself."""

    @abstractmethod
    def start(self) -> Zygote:
        """A warm zygote. Raises SandboxFault; may be called from several threads."""

    def close(self) -> None:  # noqa: B027 - most backends hold nothing
        """Let go of what the backend itself holds."""


def await_hello(control: socket.socket, limit_s: float, why_ended: Callable[[], str]) -> dict[str, Any]:
    """What a fresh zygote says of itself once torch is imported. Raises SandboxFault."""
    poller = select.poll()
    poller.register(control, select.POLLIN)
    if not poller.poll(limit_s * 1000):
        raise SandboxFault(f"a zygote was not ready within {limit_s:.0f} s")
    try:
        raw = control.recv(_MAX_HELLO)
    except ConnectionResetError:
        raw = b""
    if not raw:
        raise SandboxFault(f"a zygote ended before it was ready: {why_ended()}")
    facts: dict[str, Any] = json.loads(raw)
    if "failed" in facts:
        raise SandboxFault(f"a zygote could not be prepared: {facts['failed']}")
    return facts


def await_process(
    control: socket.socket, process: subprocess.Popen[bytes], end: Callable[[], None], limit_s: float
) -> Zygote:
    """The zygote that a process of ours becomes; on failure the process is ended. Raises SandboxFault, OSError."""

    def why_ended() -> str:
        process.wait(timeout=5)
        return f"exit status {process.returncode}"

    try:
        facts = await_hello(control, limit_s, why_ended)
    except (SandboxFault, OSError, subprocess.TimeoutExpired):
        end()
        control.close()
        raise
    return Zygote(control, facts, end, name=f"process {process.pid}")


def torch_missing() -> Reason:
    """Why a zygote of this interpreter could not import torch; false when it can."""
    if importlib.util.find_spec("torch") is None:
        return Reason(
            "torch is not installed beside the judge; run `make serve` once",
            "评测环境里没有安装 torch；请先运行一次 `make serve`",
        )
    return Reason()


def zygote_environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    """The whole environment of a zygote: nothing of ours is in it."""
    return {
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",  # else the order of sets differs from zygote to zygote
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",  # address space is what bounds memory: threads must not eat it
        # as malloc sets them itself once memory of that size was freed: pages are then used again, not cleared anew
        "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
        "MALLOC_TRIM_THRESHOLD_": str(64 << 20),
        **(extra or {}),
    }


def cpu_count() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose(name: str, backends: Iterable[Backend]) -> Backend:
    """The backend called ``name``, or with ``auto`` the first that can be had. Raises NoBackend."""
    reasons: dict[str, Reason] = {}
    for backend in backends:
        if name not in ("auto", backend.name):
            continue
        if not (reason := backend.available()):
            return backend
        reasons[backend.name] = reason
    if not reasons:
        reasons[name] = Reason(
            "there is no such sandbox backend; use auto, docker, namespace, landlock or process",
            "没有这个沙箱后端；可用 auto、docker、namespace、landlock 或 process",
        )
    raise NoBackend(reasons)
