# 34: looks for secrets: environments in /proc, and the one that was this process's at its start, in its own memory
# ends as: WA
# shows: environment of [0-9]+: refused
# shows: words at the start of the stack: [0-9]+
import ctypes
import mmap
import os

from support import attempt

for pid in sorted({os.getppid(), os.getpid(), 1}):
    attempt(f"environment of {pid}", lambda pid=pid: open(f"/proc/{pid}/environ").read())
    attempt(f"command of {pid}", lambda pid=pid: open(f"/proc/{pid}/cmdline").read())
name = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "program_invocation_name").value
# the strings of the environment lie behind those of the command, up to the end of the stack
text = ctypes.string_at(name, mmap.PAGESIZE - name % mmap.PAGESIZE)
words = [word.decode(errors="replace") for word in text.split(b"\0") if word]
print("words at the start of the stack:", len(words))
print("\n".join(words))
print(dict(os.environ))


def weighted(rows, weigh):
    return rows
