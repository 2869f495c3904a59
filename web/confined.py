"""Starts a language server with less than we have: ``python -m web.confined MIB READABLE... -- COMMAND...``.

It reads learners' text and is no sandbox of ours, so it gets bounded memory, few files, no write, no network, and, where
the kernel has Landlock, nothing to read but the named paths and the system's shared libraries.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import sys

from sandbox.cell import kernel

SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")
SMALL = ("/dev/null", "/dev/urandom", "/proc/self", "/sys/fs/cgroup", "/sys/devices/system/cpu")
OPEN_FILES = 1024
_ADD_RULE, _PATH_BENEATH = 445, 1  # of Landlock
_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3


def main(arguments: list[str]) -> None:
    """Gives up what is not needed and becomes the command; does not return."""
    at = arguments.index("--")
    memory_mib, readable, command = int(arguments[0]), arguments[1:at], arguments[at + 1 :]
    limit(memory_mib << 20)
    if kernel.landlock_abi():
        ruleset = kernel.landlock_ruleset([*readable, *SMALL], kernel.landlock_abi())
        for path in (command[0], *SYSTEM):  # shared libraries and the loader itself are executed
            allow_execution(ruleset, path)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.landlock_restrict(ruleset)
    os.execv(command[0], command)


def limit(memory_bytes: int) -> None:
    """Bound address space and open files; no file can grow, no core is written."""
    for which, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(which, (most, most))


def allow_execution(ruleset: int, path: str) -> None:
    """Add to a Landlock ruleset that what is below ``path`` may be read and executed; nothing where it is missing."""
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    rights = _EXECUTE | _READ_FILE | (_READ_DIR if os.path.isdir(path) else 0)
    rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, parent))
    ctypes.CDLL(None).syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    os.close(parent)


if __name__ == "__main__":
    main(sys.argv[1:])
