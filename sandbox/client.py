"""The judgement's side of a zygote: ask for a cell, measure it, end it.

Cheap to import, and needs nothing but the control socket, which a judgement gets from its parent.
"""

from __future__ import annotations

import array
import base64
import json
import os
import secrets
import select
import socket
import time
from typing import Any

from sandbox.contract import Exit, Limits, SandboxFault, Usage
from sandbox.seccomp import compile_filter

_MAX_ANSWER = 64 * 1024
# A zygote that has ended is noticed at once; these are for one that lives on a starved machine.
_SPAWN_WAIT_S = 30.0
_ANSWER_WAIT_S = 15.0
_LATER_LIMIT_S = 90.0


class ZygoteClient:
    """Talks to one zygote over ``control`` (AF_UNIX, SOCK_SEQPACKET). One cell at a time: a spawn ends the last."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._readable = select.poll()
        self._readable.register(control, select.POLLIN)

    def spawn(self, limits: Limits) -> Cell:
        """A fresh hardened cell that waits on its wire. Raises SandboxFault."""
        return self.spawned(self.begin_spawn(limits))

    def begin_spawn(self, limits: Limits) -> str:
        """Have the zygote make a cell, for `spawned`; one that nobody fetches ends with the next. Raises SandboxFault."""
        program = base64.b64encode(compile_filter().program).decode()
        bounds = {"memory_mib": limits.memory_limit_mib, "cpu_s": limits.judgement_limit_s}
        return self.begin("spawn", **bounds, filter=program)

    def spawned(self, nonce: str) -> Cell:
        """The cell that was begun. Raises SandboxFault."""
        answer, descriptors = self.answer("spawn", nonce, _SPAWN_WAIT_S)
        if len(descriptors) != 2:
            _close_all(descriptors)
            raise SandboxFault("the zygote sent no cell")
        return Cell(self, int(answer["pid"]), socket.socket(fileno=descriptors[0]), descriptors[1])

    def reset(self) -> None:
        """End whatever cell is left. Raises SandboxFault when the zygote does not answer."""
        self.ask("reset", _ANSWER_WAIT_S)

    def ask(self, op: str, wait_s: float, **fields: object) -> tuple[dict[str, Any], list[int]]:
        """One request and its answer, with the descriptors that came along. Raises SandboxFault."""
        return self.answer(op, self.begin(op, **fields), wait_s)

    def begin(self, op: str, **fields: object) -> str:
        """Send a request, whose answer may be fetched or left; returns what `answer` knows it by. Raises SandboxFault."""
        nonce = secrets.token_hex(8)
        try:
            self._control.send(json.dumps({"op": op, "nonce": nonce, **fields}).encode())
        except OSError as error:
            raise SandboxFault(f"the zygote is gone: {error}") from error
        return nonce

    def answer(self, op: str, nonce: str, wait_s: float) -> tuple[dict[str, Any], list[int]]:
        """The answer to a request that was begun, as `ask` gives it."""
        try:
            answer, descriptors = self._receive(nonce, time.monotonic() + wait_s)
            patience = time.monotonic() + _LATER_LIMIT_S
            while "later" in answer and time.monotonic() < patience:  # a spare interpreter still warms up
                answer, descriptors = self._receive(nonce, time.monotonic() + wait_s)
        except (OSError, ValueError) as error:  # ValueError: it was closed here meanwhile
            raise SandboxFault(f"the zygote is gone: {error}") from error
        if "error" in answer:
            _close_all(descriptors)
            raise SandboxFault(f"the zygote refused {op}: {answer['error']}")
        return answer, descriptors

    def _receive(self, nonce: str, deadline: float) -> tuple[dict[str, Any], list[int]]:
        """The answer that repeats ``nonce``; those that nobody fetched are passed over, also of a judgement that died."""
        while True:
            raw, descriptors = self._receive_one(deadline)
            try:
                answer = json.loads(raw)
            except ValueError:
                _close_all(descriptors)
                raise SandboxFault("the zygote sent a bad answer") from None
            if isinstance(answer, dict) and answer.get("nonce") == nonce:
                return answer, descriptors
            _close_all(descriptors)

    def _receive_one(self, deadline: float) -> tuple[bytes, list[int]]:
        # No timeout is set on the socket: its flags are shared with the process that passed it on.
        if not self._readable.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise SandboxFault("the zygote does not answer")
        room = socket.CMSG_SPACE(2 * array.array("i").itemsize)
        flags = socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
        raw, ancillary, _, _ = self._control.recvmsg(_MAX_ANSWER, room, flags)
        descriptors = array.array("i")
        for level, kind, payload in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(payload[: len(payload) - len(payload) % descriptors.itemsize])
        if not raw:
            _close_all(list(descriptors))
            raise SandboxFault("the zygote has ended")
        return raw, list(descriptors)


class Cell:
    """One running submission: the wire to it, its output, and the zygote's word on it."""

    def __init__(self, client: ZygoteClient, pid: int, wire: socket.socket, output: int) -> None:
        self._client = client
        self._pid = pid  # in the zygote's namespace
        self._exit: Exit | None = None
        self._looking = ""  # a question about its usage that has begun
        self.wire = wire
        self.output = output

    def usage(self) -> Usage:
        """CPU time and memory so far, asked of the zygote. Raises SandboxFault."""
        if self._exit is not None:
            return self._exit.usage
        self.look_ahead()
        looking, self._looking = self._looking, ""
        answer, _ = self._client.answer("usage", looking, _ANSWER_WAIT_S)
        return _usage(answer)

    def look_ahead(self) -> None:
        """Have the zygote look now, so that `usage` need not wait for it. Raises SandboxFault."""
        if not self._looking and self._exit is None:
            self._looking = self._client.begin("usage", pid=self._pid)

    def goes_on(self) -> None:
        """It is asked for more: what was seen of its usage so far is not all."""
        self._looking = ""

    def kill(self) -> Exit:
        """End the cell and everything of it; again, it gives the same answer. Raises SandboxFault."""
        ended = self._ended("kill", _ANSWER_WAIT_S)
        if ended is None:
            raise SandboxFault("the zygote could not end the cell")
        return ended

    def wait(self, timeout_s: float) -> Exit | None:
        """How the cell ended, or None if it still runs after ``timeout_s``. Raises SandboxFault."""
        return self._ended("wait", timeout_s + _ANSWER_WAIT_S, timeout_s=timeout_s)

    def close(self) -> None:
        """Let go of wire and output (the cell is left as it is). May be called again."""
        self.wire.close()
        if self.output >= 0:
            os.close(self.output)
            self.output = -1

    def _ended(self, op: str, wait_s: float, **fields: object) -> Exit | None:
        if self._exit is None:
            answer, _ = self._client.ask(op, wait_s, pid=self._pid, **fields)
            if (told := answer["exit"]) is not None:
                self._exit = Exit(
                    reason=told["reason"],
                    status=int(told["status"]),
                    signal=int(told["signal"]),
                    usage=_usage(told),
                )
        return self._exit


def _usage(told: dict[str, Any]) -> Usage:
    return Usage(*(float(told[name]) for name in ("cpu_s", "memory_mib", "delay_s", "rested_s")))


def _close_all(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
