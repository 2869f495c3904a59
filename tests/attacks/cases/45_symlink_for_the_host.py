# 45: plants links where the host will write, so that it writes elsewhere
# ends as: WA
# shows: link \S+: refused
# shows: hard link \S+: refused
import os

from support import FOLDERS, MARK, attempt

for folder in (*FOLDERS, "/run/judge"):
    for name in ("control", "results.json", "report.json", MARK):
        path = os.path.join(folder, name)
        attempt(f"link {path}", lambda path=path: os.symlink("/etc/passwd", path))
        attempt(f"hard link {path}", lambda path=path: os.link(os.__file__, path))
        attempt(f"fifo {path}", lambda path=path: os.mkfifo(path))


def weighted(rows, weigh):
    return rows
