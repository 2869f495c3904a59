"""Judging within one server process: threads that claim judgements from the database, under leases.

The threads only wait; the work is done by the grader and its cells, which are processes of their own.
"""

from __future__ import annotations

import logging
import threading
import time

from judge.db import Database, DatabaseError
from judge.dispatch.base import Dispatcher, JudgeJob, Result, fault
from judge.dispatch.progress import Board
from judge.jobs import Job, give_back, record, renew, requeue, take_up

LOG = logging.getLogger(__name__)
ATTEMPTS_MAX = 5  # a judgement that takes the whole server down with it each time is given up


class EmbeddedDispatcher(Dispatcher):
    """As many threads as judgements may run at a time, and one that renews their leases."""

    def __init__(
        self,
        database: Database,
        judge: JudgeJob,
        *,
        owner: str,
        workers: int,
        lease_s: float = 60.0,
        poll_s: float = 2.0,
    ) -> None:
        """``owner`` names this data folder: what it held when it died is taken up again at once."""
        self.board = Board()
        self._database = database
        self._judge = judge
        self._owner = owner
        self._lease_s = lease_s
        self._poll_s = poll_s
        self._held: dict[int, Job] = {}
        self._taking = threading.Lock()  # one claims at a time, and none while closing
        self._state = threading.Condition()
        self._news = 0
        self._stopping = False
        names = [f"judge-{number}" for number in range(1, workers + 1)]
        self._threads = [threading.Thread(target=self._work, name=name, daemon=True) for name in names]
        self._threads.append(threading.Thread(target=self._keep_leases, name="judge-leases", daemon=True))

    def start(self) -> None:
        requeued = requeue(self._database, self._owner)
        if requeued:
            LOG.info("%d unfinished judgements are taken up again", requeued)
        for thread in self._threads:
            thread.start()

    def dispatch(self, submission_id: int) -> None:
        self.board.touch(submission_id)
        with self._state:
            self._news += 1
            self._state.notify_all()

    def close(self, grace_s: float = 1.0) -> None:
        """Give running jobs ``grace_s`` to finish, then back to the queue; their late results are dropped."""
        with self._taking, self._state:
            self._stopping = True
            self._state.notify_all()
        deadline = time.monotonic() + grace_s
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, deadline - time.monotonic()))
        if unfinished := list(self._held.values()):
            give_back(self._database, unfinished)

    def _work(self) -> None:
        while not self._stopping:
            seen = self._news
            job = self._take_up()
            if job is not None:
                self._run(job)
            else:
                self._pause(seen)

    def _take_up(self) -> Job | None:
        try:
            with self._taking:
                job = None if self._stopping else take_up(self._database, self._owner, self._lease_s)
                if job is not None:
                    self._held[job.judgement_id] = job
                return job
        except DatabaseError as error:
            LOG.error("cannot take up judgements: %s", error)
        except Exception:  # a worker that ended would be missed by nobody until nothing is judged any more
            LOG.exception("cannot take up judgements")
        return None

    def _pause(self, seen: int) -> None:
        """Until something is dispatched, or for the time after which leases of others are looked at."""
        with self._state:
            self._state.wait_for(lambda: self._stopping or self._news != seen, self._poll_s)

    def _run(self, job: Job) -> None:
        self.board.begin(job)
        try:
            self._record(job, self._judged(job))
        except Exception:  # the one guard of a worker: it is our fault, and must not end the thread
            LOG.exception("judgement %d failed", job.judgement_id)
            self._give_up(job)
        finally:
            self._held.pop(job.judgement_id, None)
            self.board.end(job)

    def _give_up(self, job: Job) -> None:
        try:
            self._record(job, fault(job, "internal"))
        except Exception:  # the lease runs out and the judgement is taken up again
            LOG.exception("judgement %d cannot be recorded", job.judgement_id)

    def _judged(self, job: Job) -> Result:
        if job.attempt > ATTEMPTS_MAX:
            return fault(job, "interrupted")
        return self._judge(
            job, lambda total: self.board.count(job, total), lambda case: self.board.case(job, case)
        )

    def _record(self, job: Job, result: Result) -> None:
        try:
            if not record(self._database, job, result.report, result.problem):
                LOG.warning("judgement %d was taken over by another attempt", job.judgement_id)
        except DatabaseError as error:  # the lease runs out and the judgement is taken up again
            LOG.error("judgement %d cannot be recorded: %s", job.judgement_id, error)

    def _keep_leases(self) -> None:
        while True:
            with self._state:
                if self._state.wait_for(lambda: self._stopping, self._lease_s / 3):
                    return
            try:
                if held := list(self._held.values()):
                    renew(self._database, held, self._lease_s)
            except DatabaseError as error:
                LOG.error("leases cannot be renewed: %s", error)
            except Exception:
                LOG.exception("leases cannot be renewed")
