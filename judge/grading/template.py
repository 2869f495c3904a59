"""The template of one problem version: a process that has collected its cases once and forks for each judgement."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from judge.grading.judgement import judge
from judge.grading.link import die_with_parent, receive_request, send_frame, wait_readable
from judge.grading.plugin import GROUPS, Plugin
from judge.grading.rehearse import rehearse, rehearse_cases, take_memory
from judge.problem import Problem, ProblemError, load_problem

_OFF = (
    *("cacheprovider", "doctest", "faulthandler", "junitxml", "logging", "pastebin", "stepwise", "unittest"),
    *("terminal", "threadexception", "unraisableexception", "warnings", "recwarn", "legacypath"),
)
_TAKEN, _CLOSED = b"t", b"c"
_REST_S = 0.3  # the judgement that has begun comes first, unless the next request is already there
_LOST_MAX = 5  # processes in a row that ended without a word: then something is wrong with this template


def serve_template(sock: socket.socket, folder: Path, version: str) -> None:
    """Collects the cases in ``folder`` and serves requests from ``sock`` until its other end closes.

    Where that cannot be, a request is answered with a fault: one that says ``changed`` means that the folder does
    not hold ``version`` (any more).
    """
    _silence()
    try:
        problem = load_problem(folder)
    except ProblemError as error:
        return _answer_faults(sock, {"fault": str(error)})
    if problem.version != version:
        return _answer_faults(sock, {"fault": "the problem changed on disk", "changed": True})
    served = _collect_and_serve(problem, sock)
    if not served:
        _answer_faults(sock, {"fault": f"pytest could not start on {folder}"})


def collect(problem: Problem, serve: Callable[[Plugin], None]) -> None:
    """Collects the cases of ``problem`` and calls ``serve`` with them, where pytest would run them."""
    tests = problem.folder / "tests"
    sys.path[:0] = [str(tests), str(problem.folder)]
    arguments = [str(tests / name) for name in GROUPS]
    options = ["-c", os.devnull, "--rootdir", str(problem.folder), "--noconftest", "--import-mode=importlib"]
    off = [word for name in _OFF for word in ("-p", f"no:{name}")]
    pytest.main([*options, "--capture=no", *off, *arguments], plugins=[Plugin(problem, serve)])


def _collect_and_serve(problem: Problem, sock: socket.socket) -> bool:
    served = []

    def serve(plugin: Plugin) -> None:
        served.append(True)
        if plugin.faults:
            _answer_faults(sock, {"fault": "\n".join(plugin.faults)[-4000:]})
        else:
            _serve(plugin, sock)

    collect(problem, serve)
    return bool(served)


def _serve(plugin: Plugin, sock: socket.socket) -> None:
    """Keeps one forked process ahead: it takes the next request from ``sock`` itself, so nobody waits for a fork."""
    gc.collect()
    gc.freeze()  # forks then share these pages: their collector never touches them
    lost, cases_first = 0, plugin.problem.gpu == "none"  # each fork would set up a GPU of its own
    while lost < _LOST_MAX:
        said = _fork(plugin, sock, cases_first)
        if said == _CLOSED:
            break
        lost = 0 if said == _TAKEN else lost + 1
        cases_first = cases_first and not lost  # it may have been lost in them
        wait_readable(sock, _REST_S)
    _wait_for_children()


def _fork(plugin: Plugin, sock: socket.socket, cases_first: bool) -> bytes:
    """Forks, and waits until the child has taken a request or ended; what it said, empty if it was killed."""
    parent = os.getpid()
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(reading)
        _become_judgement(plugin, sock, writing, parent, cases_first)
    os.close(writing)
    said = os.read(reading, 1)
    os.close(reading)
    return said


def _become_judgement(
    plugin: Plugin, sock: socket.socket, writing: int, parent: int, cases_first: bool
) -> NoReturn:
    status, events = 1, None
    try:
        die_with_parent(parent)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        rehearse()
        if not wait_readable(sock, 0):  # whoever is there already would wait for it
            take_memory()
            if cases_first:
                rehearse_cases(plugin)
        fds = _await_judgement(sock)
        os.write(writing, _TAKEN if fds else _CLOSED)
        os.close(writing)
        sock.close()
        if fds:
            events = socket.socket(fileno=fds[1])
            judge(plugin, socket.socket(fileno=fds[0]), events)
        status = 0
    except (
        BaseException
    ):  # the top of a process: whatever it is, the parent is told and the judgement retried
        if events is not None:
            _tell(events, {"fault": traceback.format_exc()[-4000:]})
    finally:
        os._exit(status)


def _await_judgement(sock: socket.socket) -> list[int]:
    """The descriptors of the next judgement (control, events); empty once the other end is closed."""
    while (received := receive_request(sock)) is not None:
        if len(received[1]) == 2:
            return received[1]
        # a request without descriptors only made sure that the template exists
    return []


def _answer_faults(sock: socket.socket, answer: dict[str, Any]) -> None:
    """Answers one judgement; the process then ends, so that the next one finds the folder as it is by then."""
    if fds := _await_judgement(sock):
        os.close(fds[0])
        with socket.socket(fileno=fds[1]) as events:
            _tell(events, answer)


def _tell(events: socket.socket, frame: dict[str, Any]) -> None:
    try:
        send_frame(events, frame)
    except OSError:  # nobody listens any more; there is nobody to tell
        return


def _silence() -> None:
    """Nothing that a case prints may reach anybody: its output may hold inputs of hidden cases."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)


def _wait_for_children() -> None:
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return
