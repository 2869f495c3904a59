"""`judge test` hands its files over to the server that runs on the same data folder, which is warm already."""

from __future__ import annotations

import secrets
import socket

from judge.config import Config
from judge.grading.report import Grade
from judge.grading.seam import SOURCE_MAX_BYTES, Mode, NotGraded
from judge.problem import Problem, refresh
from judge.remote.client import Lost, NoGrader, RemoteGrading
from judge.remote.frames import Request
from judge.remote.place import is_own, place_of, socket_in

_ANSWER_WAIT_S = 2.0  # a busy server greets late; one that is gone refuses at once


class Handover(RemoteGrading):
    """The running server, asked once for each judgement: who is lost here is judged elsewhere."""

    retries = False
    patience_s = _ANSWER_WAIT_S

    def __init__(self, config: Config) -> None:
        """NoGrader where nothing answers, or a server of another version or user."""
        super().__init__(socket_in(config.data), wait_s=_ANSWER_WAIT_S)
        self._place = place_of(config.database_url)

    def check_peer(self, sock: socket.socket) -> None:
        """See RemoteGrading."""
        if not is_own(sock):
            raise Lost("another user listens there")

    def judge(self, problem: Problem, source: bytes, *, seed: str | None, mode: Mode, keep: bool) -> Grade:
        """Judges ``source``; the server stores the result with ``keep``. Raises Lost, NotGraded."""
        problem = refresh(problem)
        seed = secrets.token_hex(16) if seed is None else seed
        source = source[: SOURCE_MAX_BYTES + 1]
        request = Request(problem.slug, problem.version, mode, seed, source, keep=self._place if keep else "")
        return self.ask(problem, request, lambda _: None, lambda _: None)


__all__ = ["Handover", "Lost", "NoGrader", "NotGraded"]
