"""The cell's end of the wire: loads a submission, calls it, and sends back values.

It holds nothing to be trusted: the grader believes no word of what leaves here, and the submission may do to this
module whatever Python allows. It only tries to stay upright beside a submission that is merely wrong. One request is
answered at a time; while a call runs, the submission may ask the grader to run a callback, and the grader may call
again before it answers.
"""

from __future__ import annotations

import builtins
import os
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

import torch

from .caps import MAX_CALL_DEPTH, MAX_CALLBACKS, Refused, WireError
from .faults import describe, out_of_memory
from .loading import Loaded, NotLoaded, load, prepare
from .objects import ArgumentDecoder, Objects, ResultEncoder
from .tensors import rebuild_storages
from .wire import Frame, pack, read_frame, receive_some, send_some

_exit = os._exit
_get_ident = threading.get_ident
_set_recursion_limit = sys.setrecursionlimit
_set_trace = sys.settrace
_RECURSION_LIMIT = sys.getrecursionlimit()
_LOST = 70  # exit status when the wire is broken from within


def serve(sock: socket.socket) -> None:
    """Answers requests until the grader closes the wire. File descriptors 1 and 2 are the output pipe."""
    sock.setblocking(True)
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    runner = Runner(sock, (sys.stdout, sys.stderr))
    try:
        while True:
            runner.answer(runner.read())
    except EOFError:
        return
    except BaseException:  # a signal or a torn-out builtin met us here: nothing sensible can follow
        _exit(_LOST)


@dataclass
class _Call:
    """A call that runs: its nonce, and the storages of its arguments, by identity and kept alive."""

    nonce: str
    bases: list[torch.Tensor] = field(default_factory=list)
    groups: dict[int, int] = field(default_factory=dict)
    thread: int = field(default_factory=_get_ident)


class Runner:
    """Answers requests that come over a wire; ``streams`` are flushed after each."""

    def __init__(self, sock: socket.socket, streams: tuple[Any, ...]) -> None:
        self._sock = sock
        self._streams = streams
        self._objects = Objects(self._ask)
        self._loaded: Loaded | None = None
        self._filename = ""
        self._calls: list[_Call] = []
        self._asked = 0

    def read(self) -> Frame:
        """The next frame; raises EOFError when the grader is gone."""
        return read_frame(self._fill)

    def _fill(self, views: list[memoryview]) -> None:
        while views:
            if not receive_some(self._sock, views):
                raise EOFError

    def _send(self, frame: Frame) -> None:
        buffers = pack(frame)
        while buffers:
            send_some(self._sock, buffers)

    def answer(self, request: Frame) -> None:
        """Executes one request and sends its reply."""
        call = _Call(request.envelope["nonce"])
        if not self._calls:
            self._asked = 0
        self._calls.append(call)
        reply = self._reply(request, call)
        self._calls.pop()
        self._tidy()
        reply.envelope["nonce"] = call.nonce
        self._send(reply)

    def _reply(self, request: Frame, call: _Call) -> Frame:
        """The reply's frame; whatever the submission raises becomes one."""
        op, target = request.envelope["op"], request.envelope["target"]
        try:
            args, kwargs = self._decode(request, call)
        except BaseException as error:
            if out_of_memory(error, self._filename):
                return Frame({"kind": "memory"})
            raise  # no learner's doing
        self._objects.drop(request.envelope["drop"])
        try:
            if op in ("prepare", "load"):
                return self._load(op, args)
            return self._run(op, target, args, kwargs, call)
        except Refused as refused:
            return Frame({"kind": "refused", "value": [refused.kind, refused.type_name]})
        except BaseException as error:  # SystemExit and KeyboardInterrupt of a learner's, too
            _set_recursion_limit(_RECURSION_LIMIT)
            if out_of_memory(error, self._filename):
                return Frame({"kind": "memory"})
            return self._encoded("raise", describe(error, self._filename), call)

    def _load(self, op: str, args: list[Any]) -> Frame:
        try:
            if op == "prepare":
                self._loaded = prepare(*args)
            else:
                assert self._loaded is not None
                self._filename = args[1]
                load(self._loaded, *args)
        except NotLoaded as failed:
            outcome = [failed.kind, failed.entry, failed.line, failed.fault]
            return self._encoded("not-loaded", outcome, _Call(""))
        return Frame({"kind": "return", "value": None})

    def _run(self, op: str, target: list[Any], args: list[Any], kwargs: dict[str, Any], call: _Call) -> Frame:
        try:
            value = _OPERATIONS[op](self._target(*target), *args, **kwargs)
        except StopIteration:
            if op != "next":
                raise
            return Frame({"kind": "stop"})
        finally:
            _set_trace(None)  # a trace function would follow us into here
        return self._encoded("return", value, call)

    def _decode(self, frame: Frame, call: _Call) -> tuple[list[Any], dict[str, Any]]:
        envelope = frame.envelope
        bases = rebuild_storages(envelope["storages"], frame)
        call.bases += bases
        for base in bases:
            call.groups.setdefault(base.untyped_storage()._cdata, len(call.groups))
        decoder = ArgumentDecoder(frame, self._loaded.classes if self._loaded else {}, self._objects, bases)
        args = [decoder.decode(node) for node in envelope["args"]]
        kwargs = {name: decoder.decode(node) for name, node in envelope["kwargs"].items()}
        decoder.finish()
        return args, kwargs

    def _encoded(self, kind: str, value: Any, call: _Call) -> Frame:
        encoder = ResultEncoder(self._loaded.classes if self._loaded else {}, self._objects, call.groups)
        try:
            node = encoder.encode(value)
        except BaseException:
            self._objects.drop(encoder.kept)  # nobody will ever hold them
            raise
        encoder.frame.envelope |= {"kind": kind, "value": node}
        return encoder.frame

    def _target(self, kind: str, name: Any) -> Any:
        if kind == "object":
            return self._objects.held(name)
        module = self._loaded and (self._loaded.harness if kind == "harness" else self._loaded.solution)
        return getattr(module, name)

    def _ask(self, op: str, number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Called by the submission through a callback's stand-in."""
        if not self._calls or self._calls[-1].thread != _get_ident():
            raise RuntimeError("a callback can only be used by the thread that runs the call")
        if len(self._calls) > MAX_CALL_DEPTH:
            raise RecursionError(f"calls and callbacks nest more than {MAX_CALL_DEPTH} deep")
        self._asked += 1
        if self._asked > MAX_CALLBACKS:
            raise RuntimeError(f"more than {MAX_CALLBACKS} uses of callbacks in one call")
        call = self._calls[-1]
        try:
            question = self._encoded("ask", [list(args), kwargs], call)
        except Refused as refused:
            raise TypeError(
                f"{refused.type_name} cannot be passed to this callback ({refused.kind})"
            ) from None
        question.envelope |= {"nonce": call.nonce, "op": op, "callback": number}
        try:
            self._send(question)
            while (frame := self.read()).envelope["op"] != "answer":
                self.answer(frame)  # the callback itself called the submission
        except (EOFError, OSError, WireError):
            _exit(_LOST)  # not raised: the submission could catch it and go on
        answer, _kwargs = self._decode(frame, call)
        if frame.envelope["kind"] == "return":
            return answer[0]
        _raise(frame.envelope["kind"], answer)

    def _tidy(self) -> None:
        """Undoes what would trip us, and lets go of what the submission printed."""
        _set_recursion_limit(_RECURSION_LIMIT)
        for stream in (*self._streams, sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # the submission closed or replaced it
                continue


def _raise(kind: str, args: list[Any]) -> NoReturn:
    if kind == "stop":
        raise StopIteration
    raise getattr(builtins, args[0])(args[1])


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "call": lambda target, /, *args, **kwargs: target(*args, **kwargs),
    "get": getattr,
    "item": lambda target, key: target[key],
    "len": len,
    "iter": iter,
    "next": next,
}
