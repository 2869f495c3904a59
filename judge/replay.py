"""Judges a stored submission again from what is stored alone, and says whether the verdicts are the same."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from judge.db import Database
from judge.lines import UserError
from judge.models import Judgement
from judge.problem import Problem, content_hash, load_problem
from judge.submissions import SHOWN_FIRST, Mode, NoSubmission, latest
from judge.versions import load_files

IDENTITY = ("problem_version", "seed", "limits", "backend", "protections", "versions")
"""What a report must keep so that its verdicts can be had, and explained, again."""


class NotStored(UserError):
    """What a replay needs is not in the database, or is not what it was."""

    status = 3


@dataclass(frozen=True)
class Stored:
    """A finished judgement and all it was made from; ``files`` are the problem's by relative path."""

    submission_id: int
    judgement_id: int
    mode: Mode
    source: bytes
    seed: str
    problem_version: str
    report: dict[str, Any]
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class CaseVerdicts:
    """One case's verdict as stored and as replayed; None where it was not among the cases."""

    name: str
    stored: str | None
    replayed: str | None

    @property
    def same(self) -> bool:
        """True when the replay came to what is stored."""
        return self.stored == self.replayed


def load_stored(database: Database, submission_id: int) -> Stored:
    """The last finished judgement of a submission, one without a fault of ours where there is one.

    Raises NoSubmission for one that is unknown, not judged yet, or ended in a fault before anything was judged.
    """
    finished = select(Judgement).where(
        Judgement.submission_id == submission_id,
        Judgement.status == "done",
        Judgement.problem_version.is_not(None),
    )
    with database.read() as session:
        if latest(session, submission_id) is None:
            raise NoSubmission("no-submission", id=submission_id)
        judgement = session.scalars(finished.order_by(*SHOWN_FIRST).limit(1)).first()
        if judgement is None or judgement.problem_version is None:
            raise NoSubmission("not-replayed", id=submission_id)
        submission = judgement.submission
        return Stored(
            submission_id=submission_id,
            judgement_id=judgement.id,
            mode="run" if submission.mode == "run" else "submit",
            source=submission.source,
            seed=judgement.seed,
            problem_version=judgement.problem_version,
            report=json.loads(judgement.report or "{}"),
            files=load_files(session, judgement.problem_version),
        )


@contextmanager
def laid_out(stored: Stored) -> Iterator[Problem]:
    """The problem as it was judged, in a folder of its own that is gone afterwards.

    Raises NotStored where the files are not those of the version, ProblemError where this program cannot read them.
    """
    damaged = NotStored("version-damaged", id=stored.submission_id, version=stored.problem_version)
    if content_hash(stored.files) != stored.problem_version:
        raise damaged
    with tempfile.TemporaryDirectory(prefix="judge-replay-") as name:
        folder = Path(name).resolve()
        for path, content in stored.files.items():
            place = (folder / path).resolve()
            if not place.is_relative_to(folder):
                raise damaged
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        yield load_problem(folder)


def compare(stored: Mapping[str, Any], replayed: Mapping[str, Any]) -> list[CaseVerdicts]:
    """The verdicts of two reports case by case, in the stored order, cases of one alone included."""
    old = {case["name"]: str(case["verdict"]) for case in stored["cases"]}
    new = {case["name"]: str(case["verdict"]) for case in replayed["cases"]}
    return [CaseVerdicts(name, old.get(name), new.get(name)) for name in dict.fromkeys([*old, *new])]


def changed_surroundings(
    stored: Mapping[str, Any], replayed: Mapping[str, Any]
) -> dict[str, tuple[str, str]]:
    """What differs between the two judgements' sandbox and versions: name -> (then, now)."""
    then = {"sandbox": stored.get("backend", ""), **stored.get("versions", {})}
    now = {"sandbox": replayed.get("backend", ""), **replayed.get("versions", {})}
    return {
        name: (then.get(name) or "-", now.get(name) or "-")
        for name in dict.fromkeys([*then, *now])
        if then.get(name) != now.get(name)
    }
