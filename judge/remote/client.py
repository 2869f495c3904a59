"""The web server's side: judges by asking the grader behind a socket, one connection a judgement."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from judge import VERSION
from judge.grading.link import send_frame
from judge.grading.report import Grade
from judge.grading.seam import ATTEMPTS, SOURCE_MAX_BYTES, Mode, NotGraded, OnCase, OnStart
from judge.lines import UserError
from judge.problem import Problem, refresh
from judge.remote.frames import (
    SILENT_MAX_S,
    BadFrame,
    Hello,
    Request,
    read_case,
    read_count,
    read_grade,
    read_hello,
    read_versions,
    receive,
)
from judge.verdict import Verdict
from sandbox.unix_address import unix_address

LOG = logging.getLogger(__name__)
START_WAIT_S = 120.0  # a grader that starts beside us imports torch first
_RETRY_EVERY_S = 0.2


class NoGrader(UserError):
    """No grader answers at the socket, or it is another version's; the line says what to do."""

    status = 3


class Lost(Exception):
    """The connection to the grader ended, was silent, or made no sense: a fault of ours."""


class RemoteGrading:
    """Judges with the grader at ``path``; see judge.grading.seam.Grading."""

    retries = True  # whether a connection is tried again while it is waited for
    patience_s = SILENT_MAX_S  # for a connection once the grader has answered

    def __init__(self, path: Path, wait_s: float = START_WAIT_S) -> None:
        """Waits up to ``wait_s`` seconds for the grader to answer; NoGrader when it does not."""
        self._path = path
        try:
            with self._connection(wait_s) as (_, hello):
                self._hello = hello
        except Lost as lost:
            raise NoGrader("no-grader", path=path, why=lost) from lost
        except NotGraded as other:
            raise NoGrader("other-grader", path=path, why=other) from other

    @property
    def backend(self) -> str:
        """See Grading."""
        return self._hello.backend

    @property
    def protections(self) -> Mapping[str, str]:
        """See Grading."""
        return self._hello.protections

    @property
    def size(self) -> int:
        """See Grading."""
        return self._hello.size

    def differing(self, problems: Sequence[Problem]) -> list[Problem]:
        """Those of ``problems`` that the grader has not, or has in another version; NoGrader when it is lost."""
        try:
            with self._connection(SILENT_MAX_S) as (sock, _):
                send_frame(sock, {"compare": {problem.slug: problem.version for problem in problems}})
                theirs = read_versions(self._next(sock), "versions")
        except (Lost, BadFrame, OSError) as lost:
            raise NoGrader("no-grader", path=self._path, why=lost) from lost
        return [problem for problem in problems if theirs.get(problem.slug) != problem.version]

    def check_peer(self, sock: socket.socket) -> None:
        """Raises Lost where ``sock`` leads to somebody who is not to be asked; who may listen is the folder's matter."""

    def grade(
        self,
        problem: Problem,
        source: bytes,
        *,
        seed: str,
        mode: Mode,
        on_start: OnStart,
        on_case: OnCase,
        lines: str = "",
    ) -> Grade:
        """See Grading. A lost grader is a fault of ours: asked again, then SE."""
        problem = refresh(problem)
        code = source[: SOURCE_MAX_BYTES + 1]
        request = Request(problem.slug, problem.version, mode, seed, code, lines=lines)
        faults: list[str] = []
        for _ in range(ATTEMPTS):
            try:
                return self.ask(problem, request, on_start, on_case)
            except Lost as lost:
                faults.append(f"the grader was lost: {lost}")
        return Grade(
            problem=problem,
            mode=mode,
            seed=seed,
            verdict=Verdict.SE,
            cases=[],
            limits=problem.limits,
            backend=self.backend,
            protections=dict(self.protections),
            faults=faults,
        )

    def ask(self, problem: Problem, request: Request, on_start: OnStart, on_case: OnCase) -> Grade:
        """One judgement, asked for once; Lost, NotGraded."""
        with self._connection(self.patience_s) as (sock, _):
            try:
                send_frame(sock, request.frame())
            except OSError as error:
                raise Lost(error) from error
            while True:
                try:
                    if (graded := _take(self._next(sock), problem, request, on_start, on_case)) is not None:
                        return graded
                except BadFrame as bad:
                    raise Lost(f"it said what is not in the protocol: {bad}") from bad

    @contextmanager
    def _connection(self, wait_s: float) -> Iterator[tuple[socket.socket, Hello]]:
        """A connection whose grader has said hello, tried until ``wait_s`` seconds are over; Lost, NotGraded."""
        deadline = time.monotonic() + wait_s
        while True:
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            with sock:
                try:
                    hello = self._greeting(sock, deadline)
                except Lost:
                    if not self.retries or time.monotonic() + _RETRY_EVERY_S > deadline:
                        raise
                else:
                    yield sock, hello
                    return
            time.sleep(_RETRY_EVERY_S)

    def _greeting(self, sock: socket.socket, deadline: float) -> Hello:
        try:
            sock.settimeout(max(0.1, deadline - time.monotonic()))
            with unix_address(self._path) as address:
                sock.connect(address)
            self.check_peer(sock)
            hello = read_hello(self._next(sock, deadline))
        except OSError as error:
            raise Lost(error.strerror or error or "no answer in time") from error
        except BadFrame as bad:
            raise NotGraded("grader-differs", f"it speaks another language ({bad})") from bad
        if hello.judge != VERSION:
            raise NotGraded(
                "grader-differs", f"it is version {hello.judge} of this program, here is {VERSION}"
            )
        return hello

    @staticmethod
    def _next(sock: socket.socket, deadline: float | None = None) -> dict[str, Any]:
        try:
            frame = receive(sock, time.monotonic() + SILENT_MAX_S if deadline is None else deadline)
        except OSError as error:
            raise Lost(error.strerror or "no word from it in time") from error
        if frame is None:
            raise Lost("it closed the connection")
        return frame


def _take(
    frame: dict[str, Any], problem: Problem, request: Request, on_start: OnStart, on_case: OnCase
) -> Grade | None:
    """What one frame tells of a judgement; its result once it is there. Raises BadFrame, NotGraded."""
    if frame == {"alive": True}:
        return None
    if set(frame) == {"start"}:
        on_start(read_count(frame["start"]))
    elif set(frame) == {"case"}:
        on_case(read_case(frame["case"]))
    elif set(frame) == {"report", "faults"}:
        return read_grade(frame, problem, request)
    elif frame == {"refused": "differs"}:
        raise NotGraded("grader-differs", f"the grader has another version of {problem.slug}, or none")
    else:
        raise BadFrame("an unknown frame")
    return None
