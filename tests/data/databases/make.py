"""Makes ``<version>.sqlite3`` here, a small database as this release leaves it: ``python -m tests.data.databases.make``.

Run once for each release and commit the file: tests/judge/test_releases.py opens every one of them for ever.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from judge import VERSION
from judge.backup import back_up
from judge.db import Database
from judge.problem import load_problem
from judge.submissions import submit
from judge.users import local_user

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
BANK = ROOT / "tests" / "judge" / "bank" / "tiny"
LEFT_WAITING = b"def add(a, b):\n    return a + b\n"


def main() -> int:
    """Judge some submissions with real cells, leave one waiting, copy the database here; 1 when that fails."""
    target = HERE / f"{VERSION}.sqlite3"
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        _judge(data, "test", "901", *_files(data), "--json", "--sandbox", "landlock")
        _judge(data, "test", "901", str(BANK / "901-add" / "solution.py"), "--run", "--sandbox", "landlock")
        database = Database(f"sqlite:///{data / 'judge.sqlite3'}")
        with database.write() as session:
            submit(session, local_user(database), load_problem(BANK / "901-add"), LEFT_WAITING, "submit")
        database.close()
        target.unlink(missing_ok=True)
        back_up(data / "judge.sqlite3", target)
    target.chmod(0o644)
    return _told(target)


def _files(data: Path) -> list[str]:
    broken, raising = data / "broken.py", data / "raising.py"
    broken.write_bytes(b"\xff\x00")
    raising.write_text("def add(a, b):\n    raise ValueError('not yet')\n")
    folder = BANK / "901-add"
    return [str(folder / "solution.py"), str(folder / "mutants" / "subtracts.py"), str(raising), str(broken)]


def _judge(data: Path, *argv: str) -> None:
    environ = {
        "JUDGE_DATA": str(data),
        "JUDGE_PROBLEMS": str(BANK),
        "JUDGE_LANG": "en",
        "PATH": "/usr/bin:/bin",
    }
    command = [sys.executable, str(ROOT / "practice" / "judge.py"), *argv]
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, timeout=300, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"the judge ended with {done.returncode}")


def _told(target: Path) -> int:
    with closing(sqlite3.connect(target)) as opened:
        rows = opened.execute(
            "SELECT submission_id, status, verdict, score, report FROM judgements"
        ).fetchall()
    for number, status, verdict, score, report in rows:
        print(number, status, verdict, score, sorted(json.loads(report or "{}")))
    print(target.name, target.stat().st_size, "bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
