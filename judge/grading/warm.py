"""The warm grader: ``python -m judge.grading.warm FD``, started once, single-threaded, with everything slow imported.

It holds no key and no database. Requests come from the parent on descriptor FD; each is passed on to the template of
its problem version, forked when first needed. It ends when the parent does.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.cell.kernel import use_huge_pages

TEMPLATES_MAX = 8
Key = tuple[str, str]


@dataclass(frozen=True)
class Template:
    """A template process as the warm grader sees it."""

    pid: int
    sock: socket.socket


def main(fd: int) -> None:
    """Imports, then serves until the parent's end of ``fd`` closes."""
    sock = socket.socket(fileno=fd)
    preload()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps; nobody here asks for an exit status
    Warm(sock).serve()
    os._exit(0)  # nothing to save, and taking torch down would hold the parent up for seconds


class Warm:
    """The templates, least recently used first."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._templates: OrderedDict[Key, Template] = OrderedDict()

    def serve(self) -> None:
        """Passes requests on until the parent is gone."""
        from judge.grading.link import receive_request

        while (received := receive_request(self._sock)) is not None:
            request, fds = received
            self._pass_on((request["folder"], request["version"]), fds)
            for fd in fds:
                os.close(fd)

    def _pass_on(self, key: Key, fds: list[int]) -> None:
        from judge.grading.link import send_request

        template = self._templates.get(key)
        if template is not None:
            try:
                send_request(template.sock, {}, fds)
                self._templates.move_to_end(key)
                return
            except OSError:  # it was killed
                self._forget(key)
        send_request(self._fork(key).sock, {}, fds)
        while len(self._templates) > TEMPLATES_MAX:
            self._forget(next(iter(self._templates)))

    def _forget(self, key: Key) -> None:
        """Closes a template's socket: it ends after the judgements that it still has."""
        self._templates.pop(key).sock.close()

    def _fork(self, key: Key) -> Template:
        for old in [one for one in self._templates if one[0] == key[0]]:
            self._forget(old)  # the folder holds another version now
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        warm = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._become_template(key, near, far, warm)
        far.close()
        template = self._templates[key] = Template(pid, near)
        return template

    def _become_template(self, key: Key, near: socket.socket, far: socket.socket, warm: int) -> None:
        from judge.grading.link import die_with_parent
        from judge.grading.template import serve_template

        status = 1
        try:
            die_with_parent(warm)
            for sock in (near, self._sock, *(template.sock for template in self._templates.values())):
                sock.close()
            serve_template(far, Path(key[0]), key[1])
            status = 0
        finally:
            os._exit(status)


def preload() -> None:
    """Imports what every judgement needs, and runs a few operations, so that no fork pays for it."""
    import torch

    torch.set_num_threads(1)  # before any operation: a child forked after a parallel one hangs
    import importlib

    importlib.import_module("judge.grading.template")
    with suppress(ModuleNotFoundError):  # a problem bank may do without the reference
        importlib.import_module("minisgl")
    from judge.grading.rehearse import rehearse

    rehearse()
    gc.collect()
    gc.freeze()  # templates share what is here: their collector never touches it
    with suppress(OSError):  # no /proc: then a fork takes a little longer
        use_huge_pages()


if __name__ == "__main__":
    main(int(sys.argv[1]))
