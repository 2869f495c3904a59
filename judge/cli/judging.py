"""Where `judge test` has a file judged: by the server that runs on this data folder, else by processes of its own."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING

from judge.cli.context import Context
from judge.problem import Problem
from judge.remote.place import NAME

if TYPE_CHECKING:
    from judge.grading.grade import Grade, Grader
    from judge.remote.handover import Handover
    from judge.submissions import Mode


class Judging:
    """A context manager for ``count`` files; `grade` may be called from several threads, ``size`` at a time.

    Pool and grader are started when they are needed first, and that is never where a server is found.
    """

    def __init__(self, context: Context, problem: Problem, count: int, *, mode: Mode, stores: bool) -> None:
        self.size = min(count, context.config.workers)
        self._context = context
        self._problem = problem
        self._count = count
        self._mode = mode
        self._stores = stores
        self._lock = threading.Lock()
        self._server: Handover | None = None
        self._grader: Grader | None = None
        self._open = ExitStack()

    def __enter__(self) -> Judging:
        self._server = self._find_server()
        if self._server is None:
            with self._lock:
                self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def grade(self, source: bytes) -> tuple[Grade, bool]:
        """Judges ``source``; the result, and whether it still has to go to `store`.

        Raises NoSandbox, DatabaseError where nothing can be judged or stored.
        """
        from judge.grading import grade as own

        server, seed = self._server, self._context.args.seed
        if server is not None and (graded := self._handed_over(server, source, seed)) is not None:
            return graded, False
        with self._lock:
            grader = self._grader or self._start()
        graded = own.grade(self._problem, source, grader=grader, seed=seed, mode=self._mode)
        return graded, self._stores

    def store(self, source: bytes, graded: Grade) -> None:
        """Stores what was judged here."""
        from judge.jobs import record_finished

        context = self._context
        record_finished(
            context.database, context.user_id, graded.problem, source, self._mode, graded.report()
        )

    def _find_server(self) -> Handover | None:
        config = self._context.config
        if not (config.data / NAME).exists():
            return None
        from judge.remote.handover import Handover, NoGrader

        try:
            server = Handover(config)
        except NoGrader:
            self._context.note("not-handed-over")
            return None
        if config.sandbox not in ("auto", server.backend):  # it was asked for by name
            return None
        self._context.note("handed-over", count=self._count, backend=server.backend)
        return server

    def _handed_over(self, server: Handover, source: bytes, seed: str | None) -> Grade | None:
        """The server's judgement; None, told once, when it is lost or has another version of the problem."""
        from judge.remote.handover import Lost, NotGraded

        try:
            graded = server.judge(self._problem, source, seed=seed, mode=self._mode, keep=self._stores)
        except (Lost, NotGraded):
            with self._lock:
                if self._server is not None:
                    self._server = None
                    self._context.note("not-handed-over")
            return None
        return graded

    def _start(self) -> Grader:
        """With the lock held: a pool and a grader of our own, once it is known that results can be stored."""
        from judge.startup import open_grader

        context, config = self._context, self._context.config
        if self._stores:
            context.database.check_writable()
            _ = context.user_id
        context.note("starting", sandbox=config.sandbox)
        opened = open_grader(
            config.sandbox,
            self.size,
            spares=0,
            image=config.sandbox_image,
            run_folder=config.run_folder,
            problems=[self._problem],
        )
        pool, self._grader = self._open.enter_context(opened)
        context.note("judging", count=self._count, backend=pool.backend)
        return self._grader
