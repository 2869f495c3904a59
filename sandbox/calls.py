"""Requests to one cell and their replies, with the questions that a running call puts back to us."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from sandbox.cell.caps import MAX_CALL_DEPTH, MAX_CALLBACKS, MAX_MESSAGE_BYTES, MAX_NAME, WireError
from sandbox.cell.values import Classes, clean
from sandbox.cell.wire import Frame
from sandbox.channel import Channel
from sandbox.contract import BadValue, LearnerFault
from sandbox.faults import RAISED_AGAIN, exception_of, fault_of
from sandbox.messages import ArgumentEncoder, Callbacks, Place, ResultDecoder
from sandbox.proxy import Caller, End, Handle

_FIELDS = {  # of each kind of reply, beside nonce and kind
    "return": {"value"},
    "raise": {"value"},
    "refused": {"value"},
    "not-loaded": {"value"},
    "memory": set(),
    "stop": set(),
    "ask": {"value", "op", "callback"},
}
_LOADING = {"return", "not-loaded", "memory"}  # replies to prepare and load
_USING = {"return", "raise", "refused", "memory", "ask"}  # to all else; "stop" to next alone
_REFUSALS = (
    *("type", "numpy", "subclass", "key", "int", "cyclic", "too-deep", "too-big"),
    *("sparse", "quantised", "nested", "device", "dtype", "wrapped"),
)


class OutOfMemory(Exception):
    """The cell says that memory ran out."""


class NotLoaded(Exception):
    """The cell says that the submission could not be loaded: fields as of LoadFailed, and kind "problem" for one of its own files."""

    def __init__(self, kind: str, entry: str, line: int, fault: LearnerFault | None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.entry = entry
        self.line = line
        self.fault = fault


class Calls:
    """All requests to one cell. Every reply must repeat its request's nonce and be well formed, else WireError."""

    def __init__(self, channel: Channel, classes: Classes, caller: Caller) -> None:
        self._channel = channel
        self._classes = classes
        self._caller = caller
        self._callbacks = Callbacks()
        self._dropped: list[int] = []
        self._depth = 0
        self._asked = 0
        self._postponed: Exception | None = None

    @property
    def running(self) -> bool:
        """Whether a request waits for its reply, also when an exception cut it short."""
        return self._depth > 0

    def drop(self, number: int) -> None:
        """Lets go of a handle's object with the next request."""
        self._dropped.append(number)

    def start_case(self) -> None:
        """Forgets the callbacks of the case before."""
        self._callbacks.forget()

    def request(
        self,
        op: str,
        target: tuple[str, Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        meanwhile: Callable[[], None] | None = None,
        ready: ArgumentEncoder | None = None,
    ) -> Any:
        """The value of one request; raises what the submission did, or what a callback of ours raised meanwhile.

        ``meanwhile`` is called once the cell has its work, before anybody waits for it; ``ready`` has encoded ``args``
        and ``kwargs`` already.
        """
        if self._depth >= MAX_CALL_DEPTH:
            raise RuntimeError(f"calls and callbacks nest more than {MAX_CALL_DEPTH} deep")
        kind, name = target
        where = [kind, name.number_for(self) if isinstance(name, Handle) else name]
        encoder = ready or self._encoder()
        frame = ready.frame if ready else encoder.message(args, kwargs)
        nonce = secrets.token_hex(8)
        frame.envelope |= {"op": op, "nonce": nonce, "target": where, "drop": self._dropped}
        self._dropped = []
        if self._depth == 0:
            self._asked = 0
        self._depth += 1  # left so when an exception leaves from here, in the midst of a call
        self._channel.send(frame)
        if meanwhile is not None:
            meanwhile()
        reply = self._reply(op, nonce, encoder.places)
        outcome = self._outcome(reply, encoder.places)
        self._depth -= 1
        if self._postponed is not None:
            error, self._postponed = self._postponed, None
            raise error
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _encoder(self) -> ArgumentEncoder:
        return ArgumentEncoder(self._classes, self._callbacks, self)

    def _reply(self, op: str, nonce: str, places: list[Place]) -> Frame:
        kinds = _LOADING if op in ("prepare", "load") else _USING | {"stop"} if op == "next" else _USING
        while True:
            reply = self._channel.receive()
            kind = reply.envelope.get("kind")
            if reply.envelope.get("nonce") != nonce or type(kind) is not str or kind not in kinds:
                raise WireError("not a reply to this request")
            if reply.envelope.keys() != {"nonce", "kind"} | _FIELDS[kind]:
                raise WireError("bad fields")
            if kind != "ask":
                return reply
            answer = self._answer(reply, places)
            answer.envelope["nonce"] = nonce
            self._channel.send(answer)

    def _outcome(self, reply: Frame, places: list[Place]) -> Any:
        """The value, or the exception to raise."""
        kind, node = reply.envelope["kind"], reply.envelope.get("value")
        if kind == "refused":
            return _bad_value(node)
        value = self._decoded(reply, places)
        if kind == "raise":
            return exception_of(fault_of(value))
        if kind == "memory":
            return OutOfMemory()
        if kind == "stop":
            return End
        return value if kind == "return" else _not_loaded(value)

    def _decoded(self, frame: Frame, places: list[Place]) -> Any:
        decoder = ResultDecoder(frame, self._classes, self._callbacks, places, self._new_handle)
        return decoder.whole(frame.envelope.get("value"))

    def _new_handle(self, number: int, type_name: str) -> Handle:
        return Handle(self._caller, self, number, type_name)

    def _answer(self, question: Frame, places: list[Place]) -> Frame:
        """Runs the callback that the cell asks for."""
        self._asked += 1
        asked = self._decoded(question, places)
        op, number = question.envelope["op"], question.envelope["callback"]
        if self._asked > MAX_CALLBACKS or op not in ("call", "next") or type(asked) is not list:
            raise WireError("bad question")
        if [type(part) for part in asked] != [list, dict] or any(type(name) is not str for name in asked[1]):
            raise WireError("bad question")
        target = self._callbacks.get(number)
        if target is None:
            return self._raised(RuntimeError("this callback belongs to an earlier case"))
        try:
            value = next(target) if op == "next" else target(*asked[0], **asked[1])
            frame = self._encoder().message((value,), {})
        except StopIteration:
            return self._answered("stop", ())
        except Exception as error:  # ours or the learner's doing: it decides below where it goes
            return self._raised(error)
        frame.envelope |= {"op": "answer", "kind": "return"}
        return frame

    def _raised(self, error: Exception) -> Frame:
        """Builtin exceptions go to the submission as such; any other is the case's, raised when the call is over."""
        if type(error) not in RAISED_AGAIN.values():
            self._postponed = self._postponed or error
            error = RuntimeError("the callback failed")
        text = clean(str(error))[: MAX_MESSAGE_BYTES // 4]
        return self._answered("raise", (type(error).__name__, text))

    def _answered(self, kind: str, args: tuple[Any, ...]) -> Frame:
        frame = self._encoder().message(args, {})
        frame.envelope |= {"op": "answer", "kind": kind}
        return frame


def _bad_value(value: object) -> BadValue:
    if type(value) is not list or [type(part) for part in value] != [str, str] or value[0] not in _REFUSALS:
        raise WireError("bad refusal")
    return BadValue(value[0], clean(value[1])[:MAX_NAME])


def _not_loaded(value: Any) -> NotLoaded:
    if type(value) is not list or [type(part) for part in value[:3]] != [str, str, int] or len(value) != 4:
        raise WireError("bad load")
    kind, entry, line, fault = value
    if len(kind) > MAX_NAME or len(entry) > MAX_NAME or not 0 <= line < 1 << 20:
        raise WireError("bad load")
    return NotLoaded(kind, entry, line, None if fault is None else fault_of(fault))
