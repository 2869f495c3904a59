# 6: looks for the registry of cases, to empty it
# ends as: WA
# shows: import judge.grading.plugin: refused, ModuleNotFoundError
# shows: modules of a judge: \[\]
import importlib
import sys

from support import attempt

for name in (
    "judge.grading.plugin",
    "judge.grading.judgement",
    "pytest",
    "_pytest.python",
    "minisgl",
    "weights",
):
    attempt(f"import {name}", lambda name=name: importlib.import_module(name))
signs = ("judge", "pytest", "_pytest", "minisgl", "test_", "conftest", "weights")
print("modules of a judge:", [name for name in sys.modules if name.startswith(signs)])


def weighted(rows, weigh):
    return rows
