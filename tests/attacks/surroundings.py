"""What a submission may have left behind: around the zygote that it ran beside, and on the machine."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import torch

from sandbox.backend import Zygote
from sandbox.engine import connect
from sandbox.pool import Pool

ROOT = Path(__file__).resolve().parents[2]
MARK = "left-by-an-attack"
_NAMES = re.compile(
    rf"{MARK}.*|conftest\.py|results|results\.json|report\.json|junit\.xml|grade|(torch|sitecustomize|usercustomize)\.py"
    r"|.*\.gone|core(\.\d+)?|control"
)
_HOST_FOLDERS = [
    "/",
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/dev/mqueue",
    "/run",
    pwd.getpwuid(0).pw_dir,
    str(Path.home()),
    os.getcwd(),
]
_HOST_FOLDERS += [
    str(ROOT),
    str(ROOT / "sandbox" / "cell"),
    str(ROOT / "sandbox" / "cell" / "__pycache__"),
    str(Path(torch.__file__).parents[1]),
    os.path.dirname(os.__file__),
]
_SENTINELS = ["/etc/passwd", "/etc/hosts", "/etc/ld.so.preload", sys.executable, torch.__file__, os.__file__]
_SENTINELS += [str(Path.home() / name) for name in (".profile", ".bashrc", ".ssh/authorized_keys")]
_OWN_FOLDERS = [ROOT / "sandbox" / "cell", Path(__file__).parent]
_INSIDE = ("tmp", "var/tmp", "dev/shm", "dev/mqueue", "run", "run/judge", "root", "opt/judge/cell")
_AHEAD = 1
_SETTLED_WITHIN_S = 3.0
_TABLES = ("tcp", "tcp6", "udp", "udp6", "raw", "packet")
_IPC = [f"/proc/sysvipc/{kind}" for kind in ("shm", "sem", "msg")]


def host_pid(zygote: Zygote) -> int:
    """The process of a zygote as this machine numbers it."""
    kind, name = zygote.name.split()
    if kind == "container":
        engine, why = connect()
        assert engine is not None, why
        pid = int(engine.containers.get(name).attrs["State"]["Pid"])
        engine.close()
        return pid
    children = _children(int(name))
    return children[0] if children and _command(int(name)).startswith("bwrap") else int(name)


class Surroundings:
    """The state before any attack, and of each zygote when it was first seen.

    A zygote may have forked the next cell ahead, which has then not read a byte: it is no more bound than the zygote is.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._pids: dict[str, int] = {}
        self._first: dict[str, dict[str, set[str]]] = {}
        self._shares_host = pool.backend == "landlock"  # its namespaces are the machine's own
        self._began_ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        self._host = set(_host_state())
        self.left()

    def left(self) -> list[str]:
        """What is there now and was not before; what is still going away gets a moment."""
        until_s = time.monotonic() + _SETTLED_WITHIN_S
        while (found := list(self._found())) and time.monotonic() < until_s:
            time.sleep(0.05)
        return found

    def _found(self) -> Iterator[str]:
        yield from (f"on the machine: {one}" for one in sorted(set(_host_state()) ^ self._host))
        yield from (f"an orphan: {one}" for one in _orphans(self._began_ticks))
        _await_resets(self._pool)
        for zygote in list(self._pool._idle):
            if zygote.name not in self._pids:
                self._pids[zygote.name] = host_pid(zygote)
            pid = self._pids[zygote.name]
            if zygote.name not in self._first:
                _await_fork_ahead(pid)
                self._first[zygote.name] = self._around(pid)
            first = self._first[zygote.name]
            for what, things in self._around(pid).items():
                yield from (f"{what} beside {zygote.name}: {one}" for one in sorted(things - first[what]))
            others = _family(pid) - {str(pid)}
            yield from (
                f"process of {zygote.name}: {one}" for one in others if _filters(int(one)) != _filters(pid)
            )
            if len(others) > _AHEAD:
                yield f"processes of {zygote.name}: {sorted(others)}"

    def _around(self, pid: int) -> dict[str, set[str]]:
        around = {"descriptor": _descriptors(pid), "mount": _mounts(pid), "key": _keys(pid)}
        if self._shares_host:
            return around | {"ipc": _lines(_IPC)}
        around["port"] = _lines([f"/proc/{pid}/net/{table}" for table in _TABLES])
        inside = f"/proc/{pid}/root"
        files = {f"{folder}/{name}" for folder in _INSIDE for name in _names(f"{inside}/{folder}")}
        files.discard("opt/judge/cell/__pycache__")  # bound in read-only: any python here may make it
        around["file"] = files
        return around | {"ipc": _ipc_of(pid)}


def _await_resets(pool: Pool) -> None:
    """A released zygote is in use until its last cell has ended."""
    deadline = time.monotonic() + 60
    while pool._busy and time.monotonic() < deadline:
        time.sleep(0.005)
    assert not pool._busy


def _await_fork_ahead(pid: int) -> None:
    """A zygote makes the next fork right after it has answered."""
    deadline = time.monotonic() + _SETTLED_WITHIN_S
    while not _children(pid) and time.monotonic() < deadline:
        time.sleep(0.005)


def _host_state() -> Iterator[str]:
    for folder in _HOST_FOLDERS:
        yield from (f"{folder}/{name}" for name in _names(folder) if _NAMES.fullmatch(name))
    for path in _SENTINELS:
        yield f"{path} {_stamp(path)}"
    for folder in _OWN_FOLDERS:
        for path in sorted(folder.rglob("*")):
            if "__pycache__" not in path.parts:
                yield f"{path} {_stamp(str(path))}"


def _stamp(path: str) -> str:
    try:
        found = os.lstat(path)
    except OSError:
        return "absent"
    return (
        f"{found.st_mode:o} {found.st_uid} {found.st_size} {found.st_mtime_ns}"
        if not os.path.isdir(path)
        else "folder"
    )


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _command(pid: int) -> str:
    return os.path.basename(
        Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
    )


def _family(pid: int) -> set[str]:
    """A process, its descendants, and with a process namespace of its own all that live there."""
    found, waiting = set(), [pid]
    while waiting:
        one = waiting.pop()
        found.add(str(one))
        waiting += _children(one)
    own = _link(f"/proc/{pid}/ns/pid")
    if own != _link("/proc/self/ns/pid"):
        found |= {
            name for name in os.listdir("/proc") if name.isdigit() and _link(f"/proc/{name}/ns/pid") == own
        }
    return found


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _descriptors(pid: int) -> set[str]:
    folder = f"/proc/{pid}/fd"
    kinds = Counter(_link(f"{folder}/{number}").partition(":[")[0] for number in _names(folder))
    kinds["socket"] -= 2 * _AHEAD  # the wire of a cell forked ahead, the link to it, and its output
    kinds["pipe"] -= _AHEAD
    return {f"{kind} {number}" for kind, count in kinds.items() for number in range(1, count + 1)}


def _filters(pid: int) -> str:
    """How many filters of system calls a process is under: a cell has one more than its zygote."""
    return next((line for line in _lines([f"/proc/{pid}/status"]) if line.startswith("Seccomp_filters")), "")


def _mounts(pid: int) -> set[str]:
    own = f"/proc/{pid}/ns/mnt"
    if _link(own) == _link("/proc/self/ns/mnt"):  # others of this machine mount, too
        return {line for line in _lines(["/proc/self/mountinfo"]) if MARK in line}
    return _lines([f"/proc/{pid}/mountinfo"])


def _keys(pid: int) -> set[str]:
    """Keys of ours that a process of the zygote's user may see."""
    user = os.stat(f"/proc/{pid}").st_uid if os.geteuid() == 0 else None
    status = re.search(r"^Uid:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    user = int(status[1]) if user is not None and status else None
    told = subprocess.run(
        ["cat", "/proc/keys"], user=user, capture_output=True, text=True, check=False
    ).stdout
    return {line for line in told.splitlines() if MARK in line}


def _ipc_of(pid: int) -> set[str]:
    if os.geteuid() != 0 or shutil.which("nsenter") is None:
        return set()
    told = subprocess.run(
        ["nsenter", "-t", str(pid), "-i", "cat", *_IPC], capture_output=True, text=True, check=True
    )
    return {line for line in told.stdout.splitlines() if line.split()[0] != "key"}


def _lines(paths: list[str]) -> set[str]:
    found = set()
    for path in paths:
        if os.path.exists(path):
            head, *rest = Path(path).read_text().splitlines() or [""]
            found.update(rest if "net/" in path or "sysvipc" in path else [head, *rest])
    return {line for line in found if line}


def _orphans(since_ticks: int) -> Iterator[str]:
    """Processes under a filter like a cell's, begun since then, that nobody waits for."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            status = Path(f"/proc/{name}/status").read_text()
            began = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[19])
        except (OSError, ValueError):
            continue
        orphan = re.search(r"^PPid:\s+1$", status, re.M) and re.search(r"^Seccomp:\s+2$", status, re.M)
        name_line = status.partition("\n")[0]
        if (
            orphan and began > since_ticks and "chrom" not in name_line
        ):  # a browser's processes look like that, too
            yield f"{name} {name_line}"
