"""The system calls that a cell may make, with their numbers on both architectures.

Found by tracing training, attention, SVD, threads and asyncio in a cell; tests/sandbox keeps the list honest.
``None`` where an architecture lacks the call.
"""

from __future__ import annotations

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_Numbers = dict[str, tuple[int, int | None]]  # x86_64, aarch64

PLAIN: _Numbers = {
    # memory
    "brk": (12, 214),
    "madvise": (28, 233),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "munmap": (11, 215),
    "membarrier": (324, 283),
    # threads
    "futex": (202, 98),
    "get_robust_list": (274, 100),
    "gettid": (186, 178),
    "rseq": (334, 293),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "sched_yield": (24, 124),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    # signals of its own
    "pause": (34, None),
    "restart_syscall": (219, 128),
    "rt_sigaction": (13, 134),
    "rt_sigpending": (127, 136),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132),
    # time
    "clock_getres": (229, 114),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "gettimeofday": (96, 169),
    "nanosleep": (35, 101),
    "time": (201, None),
    "times": (100, 153),
    # about itself
    "getcpu": (309, 168),
    "getegid": (108, 177),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getgroups": (115, 158),
    "getpgid": (121, 155),
    "getpgrp": (111, None),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getpriority": (140, 141),
    "getresgid": (120, 150),
    "getresuid": (118, 148),
    "getrusage": (98, 165),
    "getsid": (124, 156),
    "getuid": (102, 174),
    "getrlimit": (97, 163),
    "sysinfo": (99, 179),
    "uname": (63, 160),
    "getrandom": (318, 278),
    # reading files (Landlock says which)
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "fadvise64": (221, 223),
    "fstat": (5, 80),
    "fstatfs": (138, 44),
    "getcwd": (79, 17),
    "getdents64": (217, 61),
    "lseek": (8, 62),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "pread64": (17, 67),
    "preadv": (295, 69),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "stat": (4, None),
    "statx": (332, 291),
    # open descriptors
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441),
    "epoll_wait": (232, None),
    "eventfd2": (290, 19),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "poll": (7, None),
    "ppoll": (271, 73),
    "pselect6": (270, 72),
    "read": (0, 63),
    "readv": (19, 65),
    "select": (23, None),
    "write": (1, 64),
    "writev": (20, 66),
    # its socket pairs
    "getpeername": (52, 205),
    "getsockname": (51, 204),
    "getsockopt": (55, 209),
    "recvfrom": (45, 207),
    "recvmsg": (47, 212),
    "sendmsg": (46, 211),
    "shutdown": (48, 210),
    # the end
    "exit": (60, 93),
    "exit_group": (231, 94),
}
"""Allowed whatever the arguments are."""

CHECKED: _Numbers = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "kill": (62, 129),
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "sendto": (44, 206),
    "socketpair": (53, 199),
    "tgkill": (234, 131),
}
"""Allowed for some arguments only; seccomp.py says which."""


def number(name: str, machine: str) -> int | None:
    """The number of a call of the two tables on ``machine``."""
    x86_64, aarch64 = (PLAIN | CHECKED)[name]
    return x86_64 if machine == "x86_64" else aarch64
