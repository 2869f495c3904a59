# 35: a fork bomb, by every way that Python has to start a process
# ends as: WA
# shows: os.fork: refused
# shows: 400 forks, 0 succeeded
import multiprocessing
import os
import pty
import subprocess

from support import attempt, syscall

attempt("os.fork", os.fork)
attempt("forkpty", pty.fork)
attempt("posix_spawn", lambda: os.posix_spawn("/bin/sh", ["sh"], {}))
attempt("subprocess", lambda: subprocess.Popen(["/bin/sh", "-c", ":(){ :|:& };:"]))
attempt("system", lambda: os.system("true") and 1 / 0)
attempt("multiprocessing", multiprocessing.get_context("fork").Process(target=print).start)
attempt("forkserver", multiprocessing.get_context("forkserver").Process(target=print).start)
attempt("clone", lambda: syscall(56, 220, 17, 0, 0, 0, 0))
attempt("clone3", lambda: syscall(435, 435, bytes(88), 88))
attempt("vfork", lambda: syscall(58, 220, 0x4111, 0, 0, 0, 0))


def forked():
    try:
        return os.fork() is not None
    except OSError:
        return False


print("400 forks,", sum(forked() for _ in range(400)), "succeeded")


def weighted(rows, weigh):
    return rows
