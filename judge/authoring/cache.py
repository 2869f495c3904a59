"""The gate's memory: judgements that were made before with the same cases, source, seed and judge.

Keyed by content alone, so an edit of a text judges nothing anew and an edit of a case judges everything.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judge.config import REPOSITORY
from judge.grading.report import Grade
from judge.lines import UserError
from judge.problem import Problem
from judge.verdict import Verdict, overall
from sandbox.contract import Limits

if TYPE_CHECKING:
    from judge.authoring.jobs import Job

FILE = "gate.sqlite3"
KEPT_DAYS = 30
_CODE = ("judge/grading", "judge/verdict.py", "judge/problem.py", "sandbox", "reference_impl/minisgl")
_NO_CASES = (
    "mutants/",
    "solutions/",
    "solution.py",
    "starter.py",
    "survivors.toml",
    "problem.toml",
    "scratch.txt",
)
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS judgements (key TEXT PRIMARY KEY, used REAL NOT NULL, record BLOB NOT NULL)"
)


class Cache:
    """Judgements by key in one SQLite file of the data folder. Thread-safe; a context manager.

    Raises:
        UserError: the file cannot be made or is none of ours.
    """

    def __init__(self, data: Path) -> None:
        self._lock = threading.Lock()
        path = data / FILE
        try:
            data.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute(_SCHEMA)
            self._database.execute(
                "DELETE FROM judgements WHERE used < ?", (time.time() - KEPT_DAYS * 86400,)
            )
        except (OSError, sqlite3.Error) as error:
            raise UserError("gate-cache", path=path, why=error) from error

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def get(self, key: str) -> dict[str, Any] | None:
        """The record stored under ``key``, or None."""
        with self._lock, closing(self._database.cursor()) as cursor:
            row = cursor.execute("SELECT record FROM judgements WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            cursor.execute("UPDATE judgements SET used = ? WHERE key = ?", (time.time(), key))
        record: dict[str, Any] = json.loads(zlib.decompress(row[0]))
        return record

    def put(self, key: str, record: dict[str, Any]) -> None:
        """Stores ``record`` (JSON values) under ``key``."""
        packed = zlib.compress(json.dumps(record, ensure_ascii=False).encode())
        with self._lock:
            self._database.execute("REPLACE INTO judgements VALUES (?, ?, ?)", (key, time.time(), packed))


def key_of(problem: Problem, job: Job, backend: str) -> str:
    """What a judgement depends on, as a digest: cases, limits, source, seed, the judge's own code and the backend."""
    how = (job.seed, job.mode, job.only, job.to_first_failure, asdict(problem.limits), backend)
    return _digest((cases_digest(problem), code_digest(), repr(how), job.source))


def cases_digest(problem: Problem) -> str:
    """The files that judge a submission, and what of ``problem.toml`` they see."""
    files = {
        path: content
        for path, content in problem.files.items()
        if not path.endswith(".md") and not path.startswith(("messages.", *_NO_CASES))
    }
    parts = [(part.name, part.points) for part in problem.parts]
    said = (problem.number, problem.slug, problem.entry_points, parts, sorted(problem.tolerances.items()))
    return _digest((repr(said), *(piece for path in sorted(files) for piece in (path, files[path]))))


@cache
def code_digest() -> str:
    """The code and the libraries that judge."""
    roots = [REPOSITORY / name for name in _CODE]
    sources = sorted(path for root in roots for path in (root.rglob("*.py") if root.is_dir() else [root]))
    versions = [metadata.version(name) for name in ("torch", "numpy", "pytest")]
    return _digest(
        (platform.python_version(), *versions, *(path.read_bytes() for path in sources if path.is_file()))
    )


def record_of(graded: Grade) -> dict[str, Any] | None:
    """What the gate needs of a grade, or None where it may have been the machine's fault and is to be made anew."""
    out_of_time = any(case["verdict"] == Verdict.TLE and not case["mistake"] for case in graded.cases)
    if graded.verdict is Verdict.SE or graded.faults or out_of_time:
        return None
    cases = [
        {
            **case,
            "facts": {},
            "detail": {key: case["detail"][key] for key in ("stdout",) if key in case["detail"]},
        }
        for case in graded.cases
    ]
    return {"cases": cases, "limits": asdict(graded.limits), "load": graded.load}


def grade_of(problem: Problem, job: Job, record: dict[str, Any], backend: str) -> Grade:
    """The grade that `record_of` was given, without facts and values."""
    cases = record["cases"]
    return Grade(
        problem=problem,
        mode=job.mode,
        seed=job.seed,
        verdict=overall(Verdict(case["verdict"]) for case in cases),
        cases=cases,
        limits=Limits(**record["limits"]),
        backend=backend,
        protections={},
        load=record["load"],
    )


def _digest(pieces: Iterable[str | bytes]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        content = piece.encode() if isinstance(piece, str) else piece
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()
