# 48: becomes root of the machine: the engine's socket, devices, mounts, namespaces, modules, kernel settings
# ends as: WA
# shows: engine: refused
# shows: mount: refused
import os
import socket

from support import attempt, syscall


def engine():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect("/var/run/docker.sock")


attempt("engine", engine)
for path in (
    "/var/run/docker.sock",
    "/dev/mem",
    "/dev/kmsg",
    "/dev/vda",
    "/dev/sda",
    "/dev/kvm",
    "/dev/fuse",
):
    attempt(f"open {path}", lambda path=path: os.open(path, os.O_RDWR))
attempt("core pattern", lambda: open("/proc/sys/kernel/core_pattern", "w").write("|/bin/sh"))
attempt("release agent", lambda: open("/sys/fs/cgroup/release_agent", "w").write("/bin/sh"))
attempt("sysrq", lambda: open("/proc/sysrq-trigger", "w").write("b"))
attempt("mount", lambda: syscall(165, 40, b"none", b"/tmp", b"tmpfs", 0, 0))
attempt("unmount", lambda: syscall(166, 39, b"/proc", 2))
attempt("namespaces", lambda: syscall(272, 97, 0x10000000 | 0x20000))
attempt("another's namespace", lambda: syscall(308, 268, 0, 0))
attempt("device", lambda: os.mknod("/tmp/left-by-an-attack", 0o020600, os.makedev(1, 1)))
attempt("new root", lambda: os.chroot("/"))
attempt("capabilities", lambda: syscall(126, 91, bytes(8), bytes(24)))
attempt("module", lambda: syscall(175, 105, bytes(8), 8, b""))
attempt("program in the kernel", lambda: syscall(321, 280, 0, bytes(128), 64))
attempt("ring", lambda: syscall(425, 425, 8, bytes(128)))
attempt("reboot", lambda: syscall(169, 142, -18751827, 672274793, 0x89ABCDEF, 0))


def weighted(rows, weigh):
    return rows
