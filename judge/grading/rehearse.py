"""A small judgement of nothing, made in a fork before it is needed: what follows then touches warm memory.

The first use of every Python object copies its page after a fork, and the first use of an operation sets it up.
"""

from __future__ import annotations

import json
import signal
import socket
import time
from contextlib import suppress
from typing import Any, cast

import torch

from judge.grading.author import check, tolerances
from judge.grading.link import receive_frame, send_frame
from judge.grading.notes import Notes
from judge.grading.plugin import Plugin
from judge.grading.seeds import rng_for
from judge.grading.shown import describe
from judge.problem import Problem
from judge.problem_fields import Tolerance
from sandbox.calls import Calls
from sandbox.cell.wire import Frame, pack, read_frame, receive_some
from sandbox.channel import Channel
from sandbox.messages import ArgumentEncoder
from sandbox.proxy import Submission
from sandbox.seccomp import compile_filter

_REHEARSED = 4  # the first cases; the later ones then find most of what they use
_LONGEST_S = 1.0  # a stalled machine included
_TAKEN_MIB = 24  # what #189's longest cases touch, between them


class _Echo:
    """Stands for a cell: gives back the first tensor of each call, through the codec and a socket as a cell would."""

    def __init__(self) -> None:
        self._nonce = ""
        self._piece = torch.empty(0, dtype=torch.uint8)

    def send(self, frame: Frame) -> None:
        self._nonce = frame.envelope["nonce"]
        self._piece = frame.pieces[0].clone()

    def receive(self) -> Frame:
        facts = [[4, 1], 0, "cpu", False, 1]
        envelope = {
            "nonce": self._nonce,
            "kind": "return",
            "value": ["l", ["T", "float32", [2, 4], *facts], 1],
        }
        near, far = socket.socketpair()
        with near, far:
            near.sendmsg(pack(Frame(envelope, pieces=[self._piece])))
            return read_frame(lambda views: _fill(far, views))


def _fill(sock: socket.socket, views: list[memoryview]) -> None:
    while views and receive_some(sock, views):
        pass


class _Caller:
    def __init__(self) -> None:
        self._calls = Calls(cast("Channel", _Echo()), {}, self)

    def request(self, op: str, target: tuple[str, Any], /, *args: Any, **kwargs: Any) -> Any:
        return self._calls.request(op, target, args, kwargs)


def rehearse() -> None:
    """Encodes, sends, reads, compares and tells a little of everything. Leaves nothing behind."""
    compile_filter()
    rng = rng_for("", "rehearsal")
    sent = rng.tensor(2, 4)
    got, _ = Submission(_Caller(), ("f",)).f(sent, [1, 2], {"a": (1, 0.5, "text")}, torch.float32)
    with tolerances({"float32": Tolerance(1e-6, 1e-6)}):
        check.tensor(got, like=sent, field="out", mistake="rehearsal", contiguous="rehearsal")
    check.equal([1, "a"], [1, "a"], field="out", mistake="rehearsal")
    wide = sent.double()
    torch.einsum("ij,kj->ik", wide, wide).softmax(-1).masked_fill(torch.eye(2) > 0, 0.0).sum()
    near, far = socket.socketpair()
    with near, far:
        send_frame(near, {"case": {"detail": describe({"got": got, "want": [sent, 1.5, None]})}})
        receive_frame(far, time.monotonic() + 10)
    json.dumps({"kind": "rehearsal"})


class _FirstCall(BaseException):
    """Ends a case that is rehearsed, past any ``except Exception`` of its own."""


class _Nobody:
    """Where a rehearsed case's first call ends."""

    def request(self, op: str, target: tuple[str, Any], /, *args: Any, **kwargs: Any) -> Any:
        ArgumentEncoder({}).message(args, kwargs)
        raise _FirstCall


class _Rehearsal:
    """What the fixtures of a rehearsed case ask; no judgement has this seed."""

    seed = "rehearsal"

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def begin_case(self) -> Submission:
        return Submission(_Nobody(), self._problem.entry_points)


def rehearse_cases(plugin: Plugin) -> None:
    """Runs the first plain cases up to their first call: inputs are drawn and values expected as they will be.

    Leaves nothing behind: a case may be judged alone or after any other, so it cannot rest on what ran before.
    Where that takes long the kernel ends this process: an exception could come in the midst of what a case undoes.
    """
    plugin.run = _Rehearsal(plugin.problem)
    signal.setitimer(signal.ITIMER_REAL, _LONGEST_S)
    with Notes().taken(), suppress(BaseException):  # pytest.exit, say: the judgement will tell
        for case in plugin.cases[:_REHEARSED]:
            if case.params is not None:
                plugin.call(case)
    signal.setitimer(signal.ITIMER_REAL, 0)
    plugin.run = None


def take_memory() -> None:
    """Has the kernel clear pages now that the tensors of a judgement will lie in; malloc keeps them (see grader_environment)."""
    torch.zeros(_TAKEN_MIB << 20, dtype=torch.uint8)
