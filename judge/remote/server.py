"""The grader's side, `judge grader`: owns pool and warm grader, listens on a Unix socket, judges what it is sent.

It holds no database, no account and no learner's name; it reads problems from its own copy of the bank alone, so
that whoever takes over the web server can send it sources to judge and nothing else.
"""

from __future__ import annotations

import logging
import os
import queue
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge import VERSION
from judge.catalogue import Catalogue
from judge.grading.link import send_frame
from judge.grading.report import Grade
from judge.grading.seam import Grading
from judge.lines import UserError
from judge.problem import Problem, ProblemError
from judge.remote.frames import (
    ALIVE_EVERY_S,
    PROTOCOL,
    REQUEST_MAX_BYTES,
    SILENT_MAX_S,
    BadFrame,
    Request,
    read_request,
    read_versions,
    receive,
)
from sandbox.unix_address import unix_address

LOG = logging.getLogger(__name__)
CONNECTIONS_MAX = 300  # more than any web server's workers


@dataclass(frozen=True)
class Keeper:
    """Where results are stored for who asks for that. ``keep`` answers "", or why it could not."""

    place: str  # a name of the database, see judge.remote.place.place_of
    keep: Callable[[Grade, bytes], str]


class _Gone(Exception):
    """Nobody listens any more: raised into the judgement, which then ends."""


@contextmanager
def listening(path: Path) -> Iterator[socket.socket]:
    """A socket at ``path``, gone at the end: for this user alone (0600), or for the group too in a setgid folder.

    Raises UserError where it cannot be made, or another grader answers there.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with sock:
        try:
            _remove_dead(path)
            shared = path.parent.stat().st_mode & stat.S_ISGID
            before = os.umask(0o117 if shared else 0o177)
            try:
                with unix_address(path) as address:
                    sock.bind(address)
            finally:
                os.umask(before)
            sock.listen(128)
        except OSError as error:
            raise UserError("grader-socket", path=path, why=error.strerror or error) from error
        try:
            yield sock
        finally:
            path.unlink(missing_ok=True)


def _remove_dead(path: Path) -> None:
    """Take away a socket that nobody answers at; UserError where somebody does."""
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        try:
            with unix_address(path) as address:
                sock.connect(address)
        except ConnectionRefusedError:
            path.unlink()
        else:
            raise UserError("grader-in-use", path=path)


class GraderServer:
    """Answers connections, each in a thread of its own, with one pool and grader behind all."""

    def __init__(
        self,
        grading: Grading,
        catalogue: Catalogue,
        keeper: Keeper | None = None,
        admits: Callable[[socket.socket], bool] = lambda _: True,
    ) -> None:
        """Without ``keeper`` nothing is stored; ``admits`` says of a connection whether it is answered."""
        self._grading = grading
        self._catalogue = catalogue
        self._keeper = keeper
        self._admits = admits
        self._free = threading.BoundedSemaphore(CONNECTIONS_MAX)
        self._lock = threading.Lock()
        self._talking: set[socket.socket] = set()
        self._closed = False

    def serve(self, listener: socket.socket) -> None:
        """Accept connections until the listener is closed."""
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            if self._admits(sock) and self._free.acquire(blocking=False):
                threading.Thread(
                    target=self._answer, args=[sock], name="grader-connection", daemon=True
                ).start()
            else:
                sock.close()

    def close(self) -> None:
        """End every conversation; who waits for a judgement learns at once that none comes."""
        with self._lock:
            self._closed = True
            for sock in self._talking:
                with suppress(OSError):  # the other end has gone
                    sock.shutdown(socket.SHUT_RDWR)

    def _answer(self, sock: socket.socket) -> None:
        try:
            with sock:
                self._note(sock)
                sock.settimeout(SILENT_MAX_S)
                self._talk(sock)
        except (BadFrame, OSError) as error:
            (LOG.info if self._closed else LOG.warning)("a connection ended: %s", error)
        finally:
            with self._lock:
                self._talking.discard(sock)
            self._free.release()

    def _note(self, sock: socket.socket) -> None:
        with self._lock:
            if self._closed:
                raise OSError("closed")
            self._talking.add(sock)

    def _talk(self, sock: socket.socket) -> None:
        send_frame(sock, {"hello": self._hello()})
        frame = receive(sock, time.monotonic() + SILENT_MAX_S, REQUEST_MAX_BYTES)
        if frame is None:
            return
        if "compare" in frame:
            asked = read_versions(frame, "compare")
            mine = {problem.slug: problem.version for problem in self._catalogue.all()}
            send_frame(sock, {"versions": {slug: mine[slug] for slug in asked if slug in mine}})
            return
        request = read_request(frame)
        problem = self._find(request)
        elsewhere = request.keep and (self._keeper is None or self._keeper.place != request.keep)
        if problem is None or elsewhere:
            send_frame(sock, {"refused": "differs"})
        else:
            self._judge(sock, problem, request)

    def _hello(self) -> dict[str, Any]:
        grading = self._grading
        return {
            "protocol": PROTOCOL,
            "judge": VERSION,
            "backend": grading.backend,
            "protections": dict(grading.protections),
            "size": grading.size,
        }

    def _find(self, request: Request) -> Problem | None:
        """The problem that is meant, in that very version; never one that merely resembles it."""
        for problem in self._catalogue.all():
            if (problem.slug, problem.version) == (request.slug, request.version):
                return problem
        return None

    def _judge(self, sock: socket.socket, problem: Problem, request: Request) -> None:
        """Send what becomes known, and a sign of life where nothing does; a lost reader ends the judgement."""
        told: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        gone = threading.Event()
        work = threading.Thread(
            target=self._work, args=[problem, request, told, gone], name="grader-judgement", daemon=True
        )
        work.start()
        try:
            while True:
                try:
                    frame = told.get(timeout=ALIVE_EVERY_S)
                except queue.Empty:
                    frame = {"alive": True}
                if frame is None:
                    return
                send_frame(sock, frame)
        finally:
            gone.set()

    def _work(
        self,
        problem: Problem,
        request: Request,
        told: queue.SimpleQueue[dict[str, Any] | None],
        gone: threading.Event,
    ) -> None:
        def tell(frame: dict[str, Any]) -> None:
            if gone.is_set():
                raise _Gone
            told.put(frame)

        try:
            graded = self._grading.grade(
                problem,
                request.source,
                seed=request.seed,
                mode=request.mode,
                on_start=lambda count: tell({"start": count}),
                on_case=lambda case: tell({"case": case}),
                lines=request.lines,
            )
            faults = [*graded.faults, *self._kept(graded, request)]
            told.put({"report": graded.report(), "faults": [fault[:2000] for fault in faults]})
        except _Gone:
            LOG.warning("a judgement of %s was given up: nobody waits for it", request.slug)
        except ProblemError as error:
            LOG.error("%s", error)
            told.put({"refused": "differs"})
        except Exception:  # the one guard of a judgement: it is our fault, and must not end the grader
            LOG.exception("a judgement of %s failed", request.slug)
        finally:
            told.put(None)

    def _kept(self, graded: Grade, request: Request) -> Iterator[str]:
        """Store a result where that was asked; what went wrong with it."""
        if request.keep and self._keeper is not None and (why := self._keeper.keep(graded, request.source)):
            yield why
