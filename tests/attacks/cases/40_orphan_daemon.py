# 40: leaves a daemon behind: double fork, a session of its own, threads and exit handlers that go on
# ends as: WA
# twice
# shows: double fork: refused
# shows: new session: refused
# shows: seen of the last one: 0 threads
import atexit
import os
import threading
import time

from support import FOLDERS, MARK, attempt

print("seen of the last one:", threading.active_count() - 1, "threads")
attempt("double fork", lambda: os.fork() or os.fork())
attempt("new session", os.setsid)
attempt("new group", lambda: os.setpgid(0, 0) or 1 / 0)
attempt("to init", lambda: os.kill(1, 0))


def linger():
    while True:
        time.sleep(0.01)
        for folder in FOLDERS:
            try:
                open(os.path.join(folder, MARK), "w").write("still here")
            except OSError:
                continue


atexit.register(linger)
threading.Thread(target=linger).start()


def weighted(rows, weigh):
    return rows
