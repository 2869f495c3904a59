# 7: leaves a conftest.py and defines pytest's hooks, so that every report says passed
# ends as: WA
# shows: write \S*conftest.py: refused
# shows: hooks defined
import os

from support import FOLDERS, attempt

TEXT = "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n"
for folder in FOLDERS:
    path = os.path.join(folder, "conftest.py")
    attempt(f"write {path}", lambda path=path: open(path, "w").write(TEXT))


def pytest_runtest_makereport(item, call):
    call.excinfo = None


def pytest_runtest_call(item):
    item.runtest = lambda: None


pytest_plugins = ["solution"]
print("hooks defined")


def weighted(rows, weigh):
    return rows
