"""Problem versions by content hash: kept at the first judgement, so that any verdict can be replayed later."""

from __future__ import annotations

import hashlib

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from judge.db import Database
from judge.models import ProblemFile, ProblemVersion, StoredFile
from judge.problem import Problem

_TRIES = 3


def store_version(database: Database, problem: Problem) -> None:
    """Keep the problem's files unless this version is kept already. Safe when several workers do it at once."""
    with database.read() as session:
        if session.get(ProblemVersion, problem.version) is not None:
            return
    for left in reversed(range(_TRIES)):
        try:
            with database.write() as session:
                _add(session, problem)
            return
        except IntegrityError:  # another worker stored this version, or a file of it, at the same moment
            if not left:
                raise


def load_files(session: Session, version: str) -> dict[str, bytes]:
    """The files of a stored version by relative path; KeyError where it was never stored."""
    found = session.get(ProblemVersion, version)
    if found is None:
        raise KeyError(version)
    return {entry.path: entry.file.content for entry in found.files}


def _add(session: Session, problem: Problem) -> None:
    if session.get(ProblemVersion, problem.version) is not None:
        return
    session.add(ProblemVersion(hash=problem.version, number=problem.number, slug=problem.slug))
    by_hash = {hashlib.sha256(content).hexdigest(): content for content in problem.files.values()}
    for file_hash, content in by_hash.items():
        if session.get(StoredFile, file_hash) is None:
            session.add(StoredFile(hash=file_hash, content=content))
    session.flush()
    for path, content in problem.files.items():
        file_hash = hashlib.sha256(content).hexdigest()
        session.add(ProblemFile(version_hash=problem.version, path=path, file_hash=file_hash))
