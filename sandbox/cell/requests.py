"""The control socket's side that has cells: answers spawn, usage, rest, go_on, kill, wait and reset, one request at a time."""

from __future__ import annotations

import array
import json
import os
import socket
import sys
import time
from abc import ABC, abstractmethod
from typing import Any

from .child import Child

_MAX_REQUEST = 64 * 1024
_THREAD_CHECK_S = 0.2

Request = dict[str, Any]
Answer = tuple[dict[str, object], list[int]]
"""Fields, and the descriptors that go with them."""


class Requests(ABC):
    """Serves requests from ``control`` until it closes; at most one cell lives at a time. It never carries a learner's byte."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self.cell: Child | None = None
        self._look_at_s = 0.0

    @abstractmethod
    def spawn(self, request: Request) -> Answer:
        """Make ``cell``; answer its pid, with its wire and its output, or an error."""

    def get_ready(self) -> None:  # noqa: B027 - not everybody has something to do ahead
        """What can be done for the next submission while nobody waits, and no cell lives."""

    def run(self) -> None:
        """Answer requests one by one."""
        while (raw := self._next_request()) is not None:
            request = json.loads(raw)
            answer, descriptors = self._answer(request)
            self.send(request, answer, descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            if request["op"] == "reset":
                self.get_ready()

    def send(self, request: Request, answer: dict[str, object], descriptors: list[int]) -> None:
        """Answer one request; the process ends when nobody listens any more."""
        rights = (
            [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        )
        try:
            self._control.sendmsg([json.dumps({**answer, "nonce": request["nonce"]}).encode()], rights)
        except (BrokenPipeError, ConnectionResetError):
            sys.exit(0)

    def kill(self, cell: Child, request: Request) -> None:
        """End the cell on ``request``."""
        cell.kill()

    def end_cell(self) -> None:
        """End the cell, if there is one."""
        if self.cell is not None:
            self.cell.kill()
            self.cell = None

    def _next_request(self) -> bytes | None:
        while True:
            self._control.settimeout(self._until_next_look())
            try:
                raw = self._control.recv(_MAX_REQUEST)
            except TimeoutError:
                continue
            except ConnectionResetError:
                return None
            return raw or None

    def _until_next_look(self) -> float | None:
        """Looks after a running cell when it is time to, however many requests come; seconds to the next look."""
        if self.cell is None or self.cell.exit is not None:
            return None
        now_s = time.monotonic()
        if now_s >= self._look_at_s:
            self.cell.stop_thread_bomb()
            self.cell.end_long_rest()
            self._look_at_s = now_s + _THREAD_CHECK_S
        return max(0.001, self._look_at_s - now_s)

    def _answer(self, request: Request) -> Answer:
        if request["op"] == "spawn":
            self.end_cell()
            return self.spawn(request)
        if request["op"] == "reset":
            self.end_cell()
            return {}, []
        cell = self.cell
        if request["op"] in ("rest", "go_on"):  # whoever shares out the cores knows no pid
            if cell is not None:
                cell.rest() if request["op"] == "rest" else cell.go_on()
            return {}, []
        if cell is None or cell.pid != request.get("pid"):
            return {"error": "no such cell"}, []
        if request["op"] == "usage":
            cell.reap(0)
            return {**cell.usage()}, []
        if request["op"] == "kill":
            self.kill(cell, request)
        else:
            cell.reap(float(request["timeout_s"]))
        return {"exit": cell.exit}, []
