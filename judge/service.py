"""The judge as a server uses it: one object that takes submissions, judges them and shows what came of them."""

from __future__ import annotations

import hashlib
import logging
import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack

from sqlalchemy.orm import Session, joinedload

from judge import jobs, queued, submissions
from judge.catalogue import Catalogue, UnknownProblem
from judge.config import Config
from judge.db import Database, DatabaseError
from judge.dispatch.base import JudgeJob, Report, Result, fault
from judge.dispatch.embedded import EmbeddedDispatcher
from judge.grading.disclose import Level
from judge.grading.report import Grade
from judge.grading.seam import Grading, NotGraded
from judge.jobs import Job
from judge.lines import UserError
from judge.lock import DataLock
from judge.models import Judgement
from judge.overview import Row, read_rows
from judge.problem import Problem, ProblemError
from judge.remote.place import place_of
from judge.remote.server import Keeper
from judge.remote.takeover import taking_over
from judge.startup import open_grading
from judge.submissions import Mode
from judge.tryouts import Tryout, Tryouts
from judge.users import Reader, local_user
from judge.verdict import Verdict
from judge.views import Seen, View, history, make_view, seen_version

LOG = logging.getLogger(__name__)
WAITING_MAX = 500
WAITING_EACH_MAX = 20  # of one person's with accounts: a class shares the queue
FAR_FOR_S = 1.0
FAULTS_KEPT, FAULT_CHARS = 2, 2000  # of what went wrong in a judgement that ended in SE
USUAL_S = 0.2  # a judgement, before any was seen
LOOK_EVERY_S = 0.5  # at the bank's files: soon enough for an author who saves and reloads


class QueueFull(UserError):
    """Too many submissions wait; nothing was stored."""


class BrokenBank(UserError):
    """The roots of problems contradict each other, or one is missing."""

    status = 3


class Service:
    """Catalogue, database, pool, grader and dispatcher of one data folder. Thread-safe once started."""

    catalogue: Catalogue
    tryouts: Tryouts

    def __init__(self, config: Config, judge: JudgeJob | None = None) -> None:
        """``judge`` replaces what judges in tests."""
        self.config = config
        self.database = Database(config.database_url)
        self.backend = ""
        self.protections: dict[str, str] = {}
        self._judge = judge
        self._grading: Grading | None = None
        self._far: dict[int, int] = {}
        self._far_until_s, self._far_lock = 0.0, threading.Lock()
        self._open = ExitStack()

    def start(self) -> None:
        """Lock the folder, bring the database up, start zygotes and grader, take up what was left unfinished.

        Raises UserError: another server, a database, bank or sandbox that cannot be used. Then nothing stays open.
        """
        with ExitStack() as stack:
            lock = DataLock(self.config.data)
            lock.acquire(self.config.address)
            stack.callback(lock.release)
            stack.callback(self.database.close)
            self.database.upgrade()
            self._user_id = local_user(self.database, self.config.accounts)
            self.catalogue = _open_bank(self.config)
            workers = self.config.workers
            if self._judge is None:
                grading = stack.enter_context(open_grading(self.config, self.catalogue.all()))
                self._grading, workers = grading, grading.size
                self.backend, self.protections = grading.backend, dict(grading.protections)
            self._dispatcher = EmbeddedDispatcher(
                self.database, self._judge or self._grade, owner=self._owner(), workers=workers
            )
            self._dispatcher.start()
            stack.callback(self._dispatcher.close)
            self.tryouts = Tryouts(self._try_out, workers)
            stack.callback(self.tryouts.close)
            if self._grading is not None:
                keeper = Keeper(place_of(self.config.database_url), self._keep)
                stack.enter_context(taking_over(self.config.data, self._grading, self.catalogue, keeper))
            self._open = stack.pop_all()

    def close(self) -> None:
        """Stop judging; what is unfinished waits for the next start."""
        self._open.close()

    def user_id(self, user: int | None) -> int:
        """Whose work is meant: ``user``, or without accounts the one user there is."""
        return self._user_id if user is None else user

    def submit(self, problem: Problem, source: bytes, mode: Mode = "submit", user: int | None = None) -> int:
        """Store a submission, dispatch it, and return its id at once; QueueFull when too many wait."""
        with self.database.write() as session:
            waiting = queued.count(session)
            if waiting >= WAITING_MAX:
                raise QueueFull("queue-full", waiting=waiting)
            if user is not None and queued.count_of(session, user) >= WAITING_EACH_MAX:
                raise QueueFull("queue-full-own", waiting=WAITING_EACH_MAX)
            submission_id = submissions.submit(
                session, self.user_id(user), problem, source, mode
            ).submission_id
        self._dispatcher.dispatch(submission_id)
        return submission_id

    def view(self, submission_id: int, lang: str, reader: Reader | None = None) -> View | None:
        """What a reader may see of a submission now; None for an unknown number and for another learner's.

        Without a reader (no accounts) everything is one's own.
        """
        with self.database.read() as session:
            judgement = submissions.latest(session, submission_id)
            if judgement is None or not _may_see(reader, judgement.submission.user_id):
                return None
            position = queued.position(session, judgement.id, judgement.status, judgement.rejudge)
        running = self._dispatcher.board.get(submission_id)
        problem = self._find(judgement.submission.slug)
        level: Level = "full" if reader is not None and reader.teaches else self.config.level
        in_charge = level == "full" and (reader is None or reader.teaches)
        return make_view(judgement, running, position, problem, lang, level, in_charge)

    def judgement_view(self, judgement_id: int, lang: str) -> View:
        """What who teaches sees of a submission by a finished judgement of it, be it not the last."""
        with self.database.read() as session:
            judgement = session.get_one(Judgement, judgement_id, options=[joinedload(Judgement.submission)])
        return make_view(judgement, None, 0, self._find(judgement.submission.slug), lang, "full", True)

    def seen(self, submission_id: int, reader: Reader | None = None) -> Seen | None:
        """The version of what `view` would show, at a fraction of its cost; None where it would show nothing."""
        stage = submissions.stage(self.database, submission_id)
        if stage is None or not _may_see(reader, stage.user_id):
            return None
        position = 0
        if stage.status == "queued" and not (position := self._far_behind().get(stage.judgement_id, 0)):
            with self.database.read() as session:
                position = queued.position(session, stage.judgement_id, stage.status, stage.rejudge)
        running = self._dispatcher.board.get(submission_id)
        version = seen_version(stage.status, stage.version, running, position)
        return Seen(version, stage.status == "done", position)

    def history(self, problem: Problem, lang: str, limit: int = 50, user: int | None = None) -> list[View]:
        """The latest submissions to a problem, newest first, without source and cases."""
        with self.database.read() as session:
            return history(session, self.user_id(user), problem.slug, lang, limit)

    def overview(self, user: int | None = None) -> list[Row]:
        """Where a learner stands at every problem, in the order of the book."""
        with self.database.read() as session:
            return read_rows(session, self.user_id(user), self.catalogue.all())

    def wait(self, submission_id: int, timeout_s: float, after_version: int | None = None) -> bool:
        """Block until the view's version is another than ``after_version`` (None: until it is done), or time is up."""
        return self._dispatcher.board.wait(
            submission_id, lambda: self._moved(submission_id, after_version), timeout_s
        )

    def expected_wait_s(self, position: int) -> float:
        """About how long it takes until a place in the queue has its verdict, at the pace of late."""
        return position * (self._dispatcher.board.seconds_each() or USUAL_S)

    def retry(self, submission_id: int) -> None:
        """Judge again what ended in a fault of ours; NoSubmission for anything else."""
        self._queue_again(submission_id, submissions.retry)

    def rejudge(self, submission_id: int) -> None:
        """Judge a finished submission again, with its seed, on the problem as it is now."""
        self._queue_again(submission_id, submissions.rejudge)

    def rejudge_problem(self, slug: str) -> int:
        """Judge every submission to a problem again that counts; returns how many."""
        with self.database.read() as session:
            ids = submissions.judged_ids(session, slug)
        for submission_id in ids:  # each its own transaction: learners submit meanwhile
            self.rejudge(submission_id)
        return len(ids)

    def _queue_again(self, submission_id: int, queue: Callable[[Session, int], Judgement]) -> None:
        with self.database.write() as session:
            queue(session, submission_id)
        self._dispatcher.dispatch(submission_id)

    def _far_behind(self) -> dict[int, int]:
        """Places of judgements far behind in the queue, read once a second: a whole class may ask."""
        with self._far_lock:
            if time.monotonic() >= self._far_until_s:
                with self.database.read() as session:
                    self._far = queued.far_behind(session)
                self._far_until_s = time.monotonic() + FAR_FOR_S
            return self._far

    def _moved(self, submission_id: int, after_version: int | None) -> bool:
        seen = self.seen(submission_id)
        if seen is None:
            return True
        return seen.done if after_version is None else seen.version != after_version

    def _find(self, slug: str) -> Problem | None:
        try:
            return self.catalogue.find(slug)
        except (UnknownProblem, ProblemError):
            return None

    def _grade(self, job: Job, on_start: Callable[[int], None], on_case: Callable[[Report], None]) -> Result:
        assert self._grading is not None
        problem = self._find(job.slug)
        if problem is None:
            return fault(job, "no-problem")
        try:
            graded = self._grading.grade(
                problem, job.source, seed=job.seed, mode=job.mode, on_start=on_start, on_case=on_case
            )
        except NotGraded as refused:
            LOG.error("submission %d to %s: %s", job.submission_id, job.slug, refused)
            return fault(job, refused.key)
        for told in graded.faults:
            LOG.warning("submission %d to %s: %s", job.submission_id, job.slug, told)
        report = graded.report()
        if graded.faults and graded.verdict is Verdict.SE:
            report["faults"] = [told[-FAULT_CHARS:] for told in graded.faults[-FAULTS_KEPT:]]
        return Result(report, graded.problem)

    def _try_out(self, tryout: Tryout) -> Report:
        """The report of scratch lines; with ``fault``, a key of the judge's words, where nothing was run."""
        if self._grading is None:
            return {"fault": "internal"}
        try:
            graded = self._grading.grade(
                tryout.problem,
                tryout.source,
                seed=secrets.token_hex(16),
                mode="scratch",
                on_start=lambda _: None,
                on_case=lambda _: None,
                lines=tryout.lines,
            )
        except NotGraded as refused:
            LOG.error("scratch lines for %s: %s", tryout.problem.slug, refused)
            return {"fault": refused.key}
        for told in graded.faults:
            LOG.warning("scratch lines for %s: %s", tryout.problem.slug, told)
        return graded.report()

    def _keep(self, graded: Grade, source: bytes) -> str:
        """Store what was judged for the command line, as that does itself where no server runs."""
        mode: Mode = "run" if graded.mode == "run" else "submit"
        try:
            jobs.record_finished(self.database, self._user_id, graded.problem, source, mode, graded.report())
        except DatabaseError as error:
            return f"not stored: {error}"
        return ""

    def _owner(self) -> str:
        """The same after every restart on this folder, so that what a killed server held is known as ours."""
        folder = hashlib.sha256(str(self.config.data.resolve()).encode()).hexdigest()[:16]
        return f"embedded:{socket.gethostname()[:200]}:{folder}"


def _may_see(reader: Reader | None, user_id: int) -> bool:
    return reader is None or reader.teaches or reader.id == user_id


def _open_bank(config: Config) -> Catalogue:
    try:
        return Catalogue(config.problem_roots, LOOK_EVERY_S)
    except ProblemError as error:
        raise BrokenBank("problem", why=error) from error
