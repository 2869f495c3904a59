# 9: makes the report's place read-only or a folder, so that the real one cannot be written
# ends as: WA
# shows: chmod \S+: refused
# shows: folder \S+: refused
import os

from support import FOLDERS, attempt

for folder in FOLDERS:
    path = os.path.join(folder, "results.json")
    attempt(f"chmod {folder}", lambda folder=folder: os.chmod(folder, 0o000))
    attempt(f"folder {path}", lambda path=path: os.mkdir(path))
    attempt(f"rename {folder}", lambda folder=folder: os.rename(folder, folder + ".gone"))
    attempt(f"remove {path}", lambda path=path: os.unlink(path))


def weighted(rows, weigh):
    return rows
