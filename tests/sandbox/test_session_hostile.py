"""Cells whose runner is replaced by a hostile one: each game ends in a death or a timeout of the cell, nothing else."""

from __future__ import annotations

import json
import os
import socket
import struct
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from sandbox.cell.caps import MAX_DATA_BYTES
from sandbox.cell.wire import Frame, pack, read_frame, receive_some
from sandbox.contract import CellDied, Limits, LoadFailed, Timeout
from sandbox.session import Session
from tests.sandbox.fake import ForkingClient

Open = Callable[..., Session]
SHORT = Limits(time_limit_s=0.3)


Play = Callable[[socket.socket], None]


def request_of(sock: socket.socket) -> dict[str, Any]:
    """The next request's envelope."""

    def fill(views: list[memoryview]) -> None:
        while views:
            if not receive_some(sock, views):
                os._exit(0)

    return read_frame(fill).envelope


def reply(sock: socket.socket, envelope: dict[str, Any]) -> None:
    for view in pack(Frame(envelope)):
        sock.sendall(view)


def after_load(play: Callable[[socket.socket, str], None]) -> Play:
    """A cell that loads as it should, and then plays its game with the first call."""

    def serve(sock: socket.socket) -> None:
        for _op in ("prepare", "load"):
            reply(sock, {"nonce": request_of(sock)["nonce"], "kind": "return", "value": None})
        play(sock, request_of(sock)["nonce"])
        time.sleep(60)

    return serve


def good(nonce: str) -> dict[str, Any]:
    return {"nonce": nonce, "kind": "return", "value": 1}


def raw(envelope: Any, json_bytes: int = 0, data_bytes: int = 0) -> bytes:
    text = json.dumps(envelope).encode()
    return struct.pack(">IQ", json_bytes or len(text), data_bytes) + text


GAMES: dict[str, Callable[[socket.socket, str], None]] = {
    "wrong nonce": lambda sock, nonce: reply(sock, good("0" * 16)),
    "no nonce": lambda sock, nonce: reply(sock, {"kind": "return", "value": 1}),
    "nonce of another type": lambda sock, nonce: reply(sock, {**good(nonce), "nonce": [nonce]}),
    "unknown kind": lambda sock, nonce: reply(sock, {**good(nonce), "kind": "verdict"}),
    "kind of another type": lambda sock, nonce: reply(sock, {**good(nonce), "kind": ["return"]}),
    "field too many": lambda sock, nonce: reply(sock, {**good(nonce), "score": 100}),
    "field missing": lambda sock, nonce: reply(sock, {"nonce": nonce, "kind": "return"}),
    "bad value": lambda sock, nonce: reply(sock, {**good(nonce), "value": ["T"]}),
    "bad fault": lambda sock, nonce: reply(sock, {**good(nonce), "kind": "raise"}),
    "fault of a wrong shape": lambda sock, nonce: reply(
        sock, {**good(nonce), "kind": "raise", "value": ["l", "ValueError", 1, 2, 3]}
    ),
    "line of zero": lambda sock, nonce: reply(
        sock, {**good(nonce), "kind": "raise", "value": ["l", "A", "A", "", ["l", ["l", 0, "f"]]]}
    ),
    "bad refusal": lambda sock, nonce: reply(
        sock, {**good(nonce), "kind": "refused", "value": ["solved", ""]}
    ),
    "refusal of a wrong shape": lambda sock, nonce: reply(
        sock, {**good(nonce), "kind": "refused", "value": 3}
    ),
    "not-loaded of a wrong shape": lambda sock, nonce: reply(sock, {**good(nonce), "kind": "not-loaded"}),
    "not-loaded after the load": lambda sock, nonce: reply(
        sock, {**good(nonce), "kind": "not-loaded", "value": ["l", "syntax", "", 0, None]}
    ),
    "stop without next": lambda sock, nonce: reply(sock, {"nonce": nonce, "kind": "stop"}),
    "bad question": lambda sock, nonce: reply(
        sock, {**good(nonce), "kind": "ask", "op": "eval", "callback": 1}
    ),
    "question without end": lambda sock, nonce: reply(
        sock, {"nonce": nonce, "kind": "ask", "op": "call", "callback": {}, "value": ["l", ["l"]]}
    ),
    "unknown handle type": lambda sock, nonce: reply(sock, {**good(nonce), "value": ["h", "1", 2]}),
    "unknown callback": lambda sock, nonce: reply(sock, {**good(nonce), "value": ["k", 77]}),
    "giant JSON": lambda sock, nonce: sock.sendall(raw(good(nonce), json_bytes=2**32 - 1)),
    "giant data": lambda sock, nonce: sock.sendall(raw(good(nonce), data_bytes=MAX_DATA_BYTES + 1)),
    "sizes that lie": lambda sock, nonce: sock.sendall(raw({**good(nonce), "sizes": [9]}, data_bytes=8)),
    "no JSON": lambda sock, nonce: sock.sendall(struct.pack(">IQ", 4, 0) + b"\xff\xfe\0\0"),
}


@pytest.fixture
def hostile(open_session: Open) -> Iterator[Any]:
    """``hostile(play)`` opens a session whose cells play; they are ended afterwards."""
    clients: list[ForkingClient] = []

    def opened(play: Callable[[socket.socket, str], None], limits: Limits = SHORT) -> Session:
        clients.append(ForkingClient(after_load(play)))
        return open_session("def f(): pass", "f", limits=limits, client=clients[-1])

    yield opened
    for client in clients:
        client.end()


@pytest.fixture
def client() -> None:
    """No other client is needed here."""


@pytest.mark.parametrize("game", list(GAMES))
def test_a_hostile_reply_is_a_death_by_protocol(hostile: Any, game: str) -> None:
    session = hostile(GAMES[game])
    with pytest.raises(CellDied) as caught:
        session.begin_case().f()
    assert caught.value.why == "protocol" and session.deaths == 1
    assert session.end_case().died is not None


def test_a_reply_that_never_ends_is_a_timeout(hostile: Any) -> None:
    def drip(sock: socket.socket, _nonce: str) -> None:
        sock.sendall(struct.pack(">IQ", 1 << 20, 0))
        while True:
            sock.sendall(b" ")

    with pytest.raises(Timeout):
        hostile(drip).begin_case().f()


def test_a_cell_that_does_not_read_cannot_block_us(hostile: Any) -> None:
    def ignore(sock: socket.socket, nonce: str) -> None:
        reply(sock, good(nonce))

    submission = hostile(ignore).begin_case()
    assert submission.f() == 1
    with pytest.raises(Timeout):
        submission.f(torch.zeros(8 << 20))


def test_a_second_reply_is_unasked(hostile: Any) -> None:
    def twice(sock: socket.socket, nonce: str) -> None:
        reply(sock, good(nonce))
        reply(sock, good(nonce))

    submission = hostile(twice).begin_case()
    assert submission.f() == 1
    time.sleep(0.05)
    with pytest.raises(CellDied) as caught:
        submission.f()
    assert caught.value.why == "protocol"


def test_an_answer_to_an_earlier_nonce_is_refused(hostile: Any) -> None:
    def replay(sock: socket.socket, nonce: str) -> None:
        reply(sock, good(nonce))
        request_of(sock)
        reply(sock, good(nonce))

    submission = hostile(replay).begin_case()
    submission.f()
    with pytest.raises(CellDied):
        submission.f()


def test_handles_of_a_hostile_number_are_harmless(hostile: Any) -> None:
    def forged(sock: socket.socket, nonce: str) -> None:
        reply(sock, {**good(nonce), "value": ["h", 12345, "Thing"]})
        reply(sock, good(request_of(sock)["nonce"]))

    thing = hostile(forged).begin_case().f()
    assert repr(thing) == "<Thing in the cell>" and thing.x == 1


def test_a_giant_key_around_many_tensors_costs_us_nothing(hostile: Any) -> None:
    """The place of each tensor is named by the keys around it: a key of the whole message once cost minutes."""
    count, size = 250, 16 << 20
    tensor = ["T", "uint8", [0], [1], 0, "cpu", False, 0]

    def play(sock: socket.socket, nonce: str) -> None:
        value = ["d", ["s", size], ["l", *[tensor] * count]]
        pieces = [torch.empty(0, dtype=torch.uint8)] * count
        frame = Frame({"nonce": nonce, "kind": "return", "value": value}, bytearray(b"\x7f" * size), pieces)
        for view in pack(frame):
            sock.sendall(view)

    submission = hostile(play, Limits(time_limit_s=20.0)).begin_case()
    before_s = time.process_time()
    (key,) = submission.f()
    assert len(key) == size and time.process_time() - before_s < 2.0


@pytest.mark.parametrize("kind", ["problem", "syntax", "raised", "timeout", "SE"])
def test_a_submission_cannot_blame_the_problem_for_its_load(open_session: Open, kind: str) -> None:
    def serve(sock: socket.socket) -> None:
        reply(sock, {"nonce": request_of(sock)["nonce"], "kind": "return", "value": None})
        outcome = ["l", kind, "", 0, None]
        reply(sock, {"nonce": request_of(sock)["nonce"], "kind": "not-loaded", "value": outcome})

    client = ForkingClient(serve)
    with pytest.raises(LoadFailed):
        open_session("def f(): pass", "f", limits=SHORT, client=client).begin_case()
    client.end()


@pytest.mark.parametrize(
    "answer",
    [
        {"kind": "raise", "value": ["l", "ValueError", "ValueError", "", ["l"]]},
        {"kind": "refused", "value": ["numpy", "ndarray"]},
        {"kind": "ask", "op": "call", "callback": 1, "value": ["l", ["l"], ["d"]]},
        {"kind": "stop"},
    ],
    ids=lambda answer: str(answer["kind"]),
)
@pytest.mark.parametrize("at", [0, 1])
def test_a_load_ends_as_a_load(open_session: Open, answer: dict[str, Any], at: int) -> None:
    def serve(sock: socket.socket) -> None:
        for number in range(2):
            fine = {"kind": "return", "value": None}
            reply(sock, {"nonce": request_of(sock)["nonce"], **(answer if number == at else fine)})

    client = ForkingClient(serve)
    with pytest.raises(LoadFailed):
        open_session("def f(): pass", "f", limits=SHORT, client=client).begin_case()
    client.end()
