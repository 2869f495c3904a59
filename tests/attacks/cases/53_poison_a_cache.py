# 53: poisons compile caches that later submissions would use
# ends as: WA
# twice
# shows: write \S+: refused
# shows: caches found: 0
import os
import sys

from support import MARK, attempt

home = os.path.expanduser("~")
caches = [
    os.path.join(home, ".cache"),
    os.path.join(home, ".triton"),
    "/tmp/torchinductor_root",
    "/tmp/torchinductor_nobody",
]
caches += [
    os.path.dirname(sys.modules["cell"].__file__),
    os.path.join(os.path.dirname(os.__file__), "__pycache__"),
]
caches += [os.path.join(home, ".cache", "torch_extensions"), os.path.join(home, ".ccache"), "/var/tmp"]
print("caches found:", sum(os.path.exists(os.path.join(cache, MARK)) for cache in caches))
for cache in caches:
    attempt(f"make {cache}", lambda cache=cache: os.makedirs(os.path.join(cache, MARK)))
    attempt(f"write {cache}", lambda cache=cache: open(os.path.join(cache, MARK), "w"))


def weighted(rows, weigh):
    return rows
