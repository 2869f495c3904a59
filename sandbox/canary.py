"""Tries the forbidden things from a cell, on the path that every submission takes. A server starts only if all fail.

The attempts are listed here; sandbox/probe.py makes them. Three attempts that must succeed show that the probe works.
"""

from __future__ import annotations

import json
import platform
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.client import ZygoteClient
from sandbox.contract import CellDied, LearnerError, Limits, LoadFailed, Program, SandboxFault, Timeout

if TYPE_CHECKING:
    from sandbox.pool import Pool
    from sandbox.proxy import Submission
    from sandbox.session import Session

PROBE = Path(__file__).with_name("probe.py")
_PROJECT = Path(__file__).resolve().parents[1]
_LIMITS = Limits(time_limit_s=20.0, load_limit_s=20.0, judgement_limit_s=60.0)
_ACQUIRE_WAIT_S = 60.0
_RUN_LIMIT_S = 120.0
_NO_PERMISSION = frozenset({"EPERM", "EACCES"})
_NO_CALL = frozenset({"EPERM", "ENOSYS"})
_ABSENT = frozenset({"EPERM", "EACCES", "ENOENT", "ENOTDIR", "EROFS"})


@dataclass(frozen=True)
class Finding:
    """A forbidden attempt that was not refused, or one that could not be made."""

    attempt: str
    outcome: str

    def text(self, lang: str) -> str:
        """One line in ``zh`` or ``en``."""
        if lang == "zh":
            return f"沙箱自检：{self.attempt} 未被拒绝（{self.outcome}）"
        return f"sandbox canary: {self.attempt} was not refused ({self.outcome})"

    def __str__(self) -> str:
        return self.text("en")


@dataclass(frozen=True)
class Attempt:
    """One thing to try: the probe's kind and arguments, and the refusals that are in order (none: it must work)."""

    name: str
    kind: str
    arguments: tuple[str | int | bytes, ...]
    refusals: frozenset[str] = frozenset()
    answer: str = ""  # where it must work: with this answer, if any is given

    def holds(self, outcome: str) -> bool:
        """Whether this is what has to come of it."""
        if self.answer:
            return outcome == f"worked: {self.answer}"
        if not self.refusals:
            return outcome.startswith("worked: ")
        return outcome.startswith("refused ") and outcome.removeprefix("refused ") in self.refusals


_BUFFER = bytes(128)
# x86_64 and aarch64 numbers, then arguments that would do something if the call were allowed
_CALLS: dict[str, tuple[int, int, tuple[int | bytes, ...]]] = {
    "add_key": (248, 217, (b"user", b"canary", b"x", 1, -2)),
    "bpf": (321, 280, (0, _BUFFER, 64)),
    "chroot": (161, 51, (b"/",)),
    "clone3": (435, 435, (_BUFFER, 88)),
    "execve": (59, 221, (b"/bin/sh", 0, 0)),
    "execveat": (322, 281, (-100, b"/bin/sh", 0, 0, 0)),
    "fanotify_init": (300, 262, (0, 0)),
    "fcntl F_SETOWN": (72, 25, (0, 8, 1)),
    "inotify_init1": (294, 26, (0,)),
    "io_uring_setup": (425, 425, (1, _BUFFER)),
    "ioctl TIOCSTI": (16, 29, (0, 0x5412, b"x")),
    "kexec_load": (246, 104, (0, 0, 0, 0)),
    "keyctl": (250, 219, (0, -4, 1)),
    "landlock_create_ruleset": (444, 444, (0, 0, 1)),
    "memfd_create": (319, 279, (b"canary", 0)),
    "mknodat": (259, 33, (-100, b"/tmp/canary-node", 0o010600, 0)),
    "mount": (165, 40, (b"none", b"/tmp", b"tmpfs", 0, 0)),
    "mq_open": (240, 180, (b"canary", 0o102, 0o600, 0)),
    "msgget": (68, 186, (0, 0o600)),
    "name_to_handle_at": (303, 264, (-100, b"/", _BUFFER, _BUFFER, 0)),
    "open_by_handle_at": (304, 265, (0, _BUFFER, 0)),
    "perf_event_open": (298, 241, (_BUFFER, 0, -1, -1, 0)),
    "personality": (135, 92, (0x0040000,)),
    "pidfd_open": (434, 434, (1, 0)),
    "pivot_root": (155, 41, (b"/", b"/")),
    "prlimit64": (302, 261, (0, 0, _BUFFER, 0)),
    "process_vm_readv": (310, 270, (1, _BUFFER, 1, _BUFFER, 1, 0)),
    "ptrace": (101, 117, (16, 1, 0, 0)),
    "request_key": (249, 218, (b"user", b"canary", 0, 0)),
    "semget": (64, 190, (0, 1, 0o600)),
    "setns": (308, 268, (0, 0)),
    "setresuid": (117, 147, (0, 0, 0)),
    "setrlimit": (160, 164, (4, _BUFFER)),
    "shmget": (29, 194, (0, 4096, 0o600)),
    "swapon": (167, 224, (b"/dev/null", 0)),
    "unshare": (272, 97, (0x10000000,)),
    "userfaultfd": (323, 282, (1,)),
    "vmsplice": (278, 75, (1, _BUFFER, 1, 0)),
}
_EXPRESSIONS = {
    "fork": "os._exit(0) if os.fork() == 0 else 'forked'",
    "spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "network": "__import__('socket').socket(2, 1)",
    "network, version 6": "__import__('socket').socket(10, 2)",
    "netlink": "__import__('socket').socket(16, 3, 0)",
    "local socket": "__import__('socket').socket(1, 1)",
    "pair of datagram sockets": "__import__('socket').socketpair(1, 2)",
    "signal to the zygote": "os.kill(parent, 0)",
    "signal to process 1": "os.kill(1, 0)",
    "signal to the group": "os.kill(0, 0)",
    "signal to everybody": "os.kill(-1, 0)",
    "another processor": "os.sched_setaffinity(0, {0})",
    "chmod": "os.chmod('/tmp', 0o777)",
    "link": "os.symlink('/etc', '/tmp/canary-link')",
    "folder": "os.mkdir('/tmp/canary-folder')",
}
_PRIVATE = [
    "/proc/1/environ",
    "/proc/{parent}/environ",
    "/proc/{parent}/mem",
    "/proc/self/environ",
    "/proc/self/mem",
]
_WRITTEN = [
    "/tmp/canary",
    "/var/tmp/canary",
    "/dev/shm/canary",
    "/dev/mqueue/canary",
    "canary",
    "/proc/self/oom_score_adj",
]
_IMPORTED = ["judge", "minisgl", "sandbox", "pytest"]


def _system_calls() -> Iterator[Attempt]:
    for name, (x86_64, aarch64, arguments) in _CALLS.items():
        call = aarch64 if platform.machine() == "aarch64" else x86_64
        yield Attempt(name, "syscall", (call, *arguments), _NO_CALL)


def _reads(landlock: bool) -> Iterator[Attempt]:
    for path in _PRIVATE:
        yield Attempt(f"read {path}", "read", (path,), _ABSENT)
    for file in sorted(
        {Path(__file__), _PROJECT / "pyproject.toml", *(_PROJECT / "reference_impl").glob("*/__init__.py")}
    ):
        yield Attempt(f"read {file.name} of the judge", "read", (str(file),), _ABSENT)
    for folder in (Path.home(), _PROJECT, Path(tempfile.gettempdir())):
        if landlock:
            yield Attempt(f"list {folder}", "list", (str(folder),), _ABSENT)
    if landlock:
        yield Attempt("read /etc/passwd", "read", ("/etc/passwd",), _ABSENT)


def _others() -> Iterator[Attempt]:
    for path in _WRITTEN:
        yield Attempt(f"write {path}", "write", (path,), _ABSENT)
    for name, expression in _EXPRESSIONS.items():
        yield Attempt(name, "python", (expression,), _NO_PERMISSION)
    for module in _IMPORTED:
        if find_spec(module) is not None:
            yield Attempt(
                f"import {module}", "python", (f"__import__({module!r})",), frozenset({"ImportError"})
            )


def _controls() -> Iterator[Attempt]:
    getpid = 172 if platform.machine() == "aarch64" else 39
    source = "__import__('inspect').getsource(__import__('torch').nn.Linear)[:5]"
    yield Attempt("control: system call", "syscall", (getpid,))
    yield Attempt("control: read a library", "python", (source,), answer="'class'")
    yield Attempt(
        "control: pair of stream sockets", "python", ("len(__import__('socket').socketpair())",), answer="2"
    )
    yield Attempt("environment", "python", ("dict(os.environ)",), answer="{}")
    yield Attempt("open descriptors", "descriptors", (), answer="4")


def attempts(landlock: bool) -> list[Attempt]:
    """Everything that the canary tries. Without ``landlock`` a container's own files may be read."""
    return [*_controls(), *_system_calls(), *_reads(landlock), *_others()]


def run_canary(pool: Pool) -> list[Finding]:
    """Try everything in one cell of the pool; empty when all was refused. Raises SandboxFault.

    The judgement's side runs in a process of its own, as it does when judging: the caller need not import torch.
    """
    zygote = pool.acquire(_ACQUIRE_WAIT_S)
    findings: list[Finding] | None = None
    try:
        findings = _in_a_process(zygote.control.fileno(), pool.protections["landlock"] != "none")
    finally:
        pool.release(zygote, reusable=findings == [])
    return findings


def _in_a_process(control: int, landlock: bool) -> list[Finding]:
    command = [sys.executable, "-m", "sandbox.canary", str(control), str(int(landlock))]
    try:
        ran = subprocess.run(
            command, pass_fds=[control], cwd=_PROJECT, capture_output=True, text=True, timeout=_RUN_LIMIT_S
        )
    except subprocess.TimeoutExpired:
        raise SandboxFault("the canary did not end") from None
    if ran.returncode:
        raise SandboxFault(f"the canary could not run: {(ran.stderr.strip().splitlines() or ['?'])[-1]}")
    return [Finding(*pair) for pair in json.loads(ran.stdout)]


def _outcome(submission: Submission, attempt: Attempt) -> str:
    """What came of an attempt, also where the probe itself failed."""
    try:
        return str(submission.attempt(attempt.kind, *attempt.arguments))
    except (
        LearnerError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        NameError,
        RuntimeError,
    ) as error:
        return f"not made: {type(error).__name__}"


def try_all(session: Session, wanted: list[Attempt]) -> list[Finding]:
    """Make every attempt in one case of ``session``."""
    findings = []
    try:
        submission = session.begin_case()
    except LoadFailed as failed:
        return [Finding("loading the probe", failed.kind)]
    for attempt in wanted:
        try:
            outcome = _outcome(submission, attempt)
        except (CellDied, Timeout) as ended:
            findings.append(Finding(attempt.name, f"the cell ended: {ended}"))
            break
        if not attempt.holds(outcome):
            findings.append(Finding(attempt.name, outcome))
    session.end_case()
    return findings


def main(control: str, landlock: str) -> None:
    """The process behind run_canary: prints findings as JSON."""
    from sandbox.session import Session

    client = ZygoteClient(socket.socket(fileno=int(control)))
    session = Session(client, Program(PROBE.read_bytes(), ("attempt",)), _LIMITS, cell_seed=0)
    findings = try_all(session, attempts(landlock == "1"))
    session.close()
    print(json.dumps([[finding.attempt, finding.outcome] for finding in findings]))


if __name__ == "__main__":
    main(*sys.argv[1:])
