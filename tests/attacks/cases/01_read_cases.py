# 1: reads the hidden cases and the reference from disk
# ends as: WA
# shows: read \S*test_hidden.py: refused
# shows: searched the disk, found \[\]
import os

from support import PROJECT, attempt

NAMES = ("test_hidden.py", "test_examples.py", "problem.toml", "solution.py")
for folder in ("tests/attacks/problem/hostile/990-weighted-sums", "problems/minisgl/189-ms-attn-metadata"):
    for name in NAMES:
        path = os.path.join(PROJECT, folder, "tests" if name.startswith("test_") else "", name)
        attempt(f"read {path}", lambda path=path: open(path).read())
seen = (
    os.path.join(top, name)
    for top, _, names in os.walk("/proc/self/cwd")
    for name in names
    if name in NAMES[:3]
)
print("searched the disk, found", [path for _, path in zip(range(5), seen)])


def weighted(rows, weigh):
    return rows
