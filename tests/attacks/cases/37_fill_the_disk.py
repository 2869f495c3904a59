# 37: fills the disk and its inodes, wherever a file can be made
# ends as: WA
# shows: 0 files were made in [0-9]+ folders
import os

from support import FOLDERS, MARK


def made(folder):
    count = 0
    for number in range(200):
        try:
            with open(os.path.join(folder, f"{MARK}-{number}"), "wb") as file:
                file.write(bytes(1 << 20))
        except OSError:
            break
        count += 1
    return count


folders = [*FOLDERS, "/", "/etc", "/usr", "/opt", "/home", "/proc/self/fd", "/dev", "/sys", "/run/judge"]
print(sum(map(made, folders)), "files were made in", len(folders), "folders")


def weighted(rows, weigh):
    return rows
