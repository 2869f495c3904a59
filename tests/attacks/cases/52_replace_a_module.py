# 52: puts modules of its own in the place of others: files on the path, sys.modules, import hooks
# ends as: WA
# twice
# shows: seen of the last one: nothing
# shows: write \S*sitecustomize.py: refused
# shows: replaced in this process
import os
import sys
import types

from support import MARK, attempt

seen = [name for name in ("torch", "numpy", "json", "cell") if hasattr(sys.modules.get(name), "fake")]
print("seen of the last one:", seen or "nothing")
for folder in [path for path in sys.path if path] + ["."]:
    for name in (
        "torch.py",
        "sitecustomize.py",
        "usercustomize.py",
        f"{MARK}.pth",
        "__pycache__/os.cpython-311.pyc",
    ):
        path = os.path.join(folder, name)
        attempt(f"write {path}", lambda path=path: open(path, "wb").write(b"fake = 1\n"))
for name in ("torch", "numpy", "json"):
    real = sys.modules.get(name)
    if real is not None:
        real.fake = 1
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].fake = 1
sys.meta_path.insert(0, types.SimpleNamespace(find_spec=lambda *args: None, fake=1))
sys.path.insert(0, "/tmp")
print("replaced in this process")


def weighted(rows, weigh):
    return rows
