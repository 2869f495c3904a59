# 36: takes memory that does not count as its own: memfd, System V and POSIX shared memory, huge pages, pipes, locked pages
# ends as: WA
# shows: memfd: refused
# shows: shmget: refused
# shows: /dev/shm: refused
import mmap
import os
from multiprocessing import shared_memory

from support import MARK, attempt, syscall

attempt("memfd", lambda: os.memfd_create(MARK))
attempt("secret memory", lambda: syscall(447, 447, 0))
attempt("shmget", lambda: syscall(29, 194, 0, 256 << 20, 0o1600))
attempt("/dev/shm", lambda: shared_memory.SharedMemory(MARK, create=True, size=256 << 20))
attempt("queue", lambda: syscall(240, 180, MARK.encode(), 0o102, 0o600, 0))
attempt("lock pages", lambda: syscall(151, 230, 3))
attempt("huge pages", lambda: mmap.mmap(-1, 512 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000))
attempt("larger pipe", lambda: __import__("fcntl").fcntl(os.pipe()[1], 1031, 1 << 20))
attempt("splice into a pipe", lambda: syscall(278, 75, 1, bytes(128), 1, 0))


def weighted(rows, weigh):
    return rows
