# 8: writes the report itself, in every form and place that a grader may read
# ends as: WA
# shows: write \S*results.json: refused
import json
import os

from support import FOLDERS, attempt

REPORT = json.dumps(
    {"format": 1, "verdict": "AC", "score": 100.0, "cases": [], "tests": [{"status": "passed"}]}
)
for folder in FOLDERS:
    for name in ("results.json", "report.json", "junit.xml", "grade", "results/results.json"):
        path = os.path.join(folder, name)
        attempt(f"write {path}", lambda path=path: open(path, "w").write(REPORT))
for descriptor in range(3, 64):
    try:
        os.fstat(descriptor)
    except OSError:
        continue
    print("a descriptor is open:", descriptor)


def weighted(rows, weigh):
    return rows
