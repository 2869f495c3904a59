# 33: traces, reads and writes the memory of the process that made it, and of process 1
# ends as: WA
# shows: attach [0-9]+: refused
# shows: memory of [0-9]+: refused
import os

from support import attempt, syscall

BUFFER = bytes(64)
for pid in sorted({os.getppid(), 1, 2, os.getpid()}):
    attempt(f"attach {pid}", lambda pid=pid: syscall(101, 117, 16, pid, 0, 0))
    attempt(f"seize {pid}", lambda pid=pid: syscall(101, 117, 0x4206, pid, 0, 0))
    attempt(f"memory of {pid}", lambda pid=pid: open(f"/proc/{pid}/mem", "r+b"))
    attempt(f"read from {pid}", lambda pid=pid: syscall(310, 270, pid, BUFFER, 1, BUFFER, 1, 0))
    attempt(f"write to {pid}", lambda pid=pid: syscall(311, 271, pid, BUFFER, 1, BUFFER, 1, 0))
    attempt(f"descriptor of {pid}", lambda pid=pid: syscall(434, 434, pid, 0))
    attempt(f"compare with {pid}", lambda pid=pid: syscall(312, 272, pid, pid, 0, 0, 0))


def weighted(rows, weigh):
    return rows
