"""What the processes of the grader say to each other: JSON over Unix sockets, with file descriptors where needed.

Requests travel as single packets (SOCK_SEQPACKET) and may carry descriptors; a judgement's events travel as frames
on a stream of its own. Both ends are trusted; caps only guard against our own mistakes.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Sequence
from typing import Any

REQUEST_MAX_BYTES = 64 << 10
FRAME_MAX_BYTES = 64 << 20
_LENGTH = struct.Struct("!I")
_PR_SET_PDEATHSIG = 1
_HOLD_S = 0.03


def send_request(sock: socket.socket, request: dict[str, Any], fds: Sequence[int] = ()) -> None:
    """One request in one packet; OSError when the other end is gone."""
    socket.send_fds(sock, [json.dumps(request).encode()], list(fds))


def receive_request(sock: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next request and its descriptors (close-on-exec), or None once the other end is gone."""
    try:
        data, fds, _, _ = socket.recv_fds(sock, REQUEST_MAX_BYTES, 4)
    except ConnectionError:
        return None
    if not data:
        return None
    for fd in fds:
        os.set_inheritable(fd, False)
    return json.loads(data), list(fds)


def wait_readable(sock: socket.socket, timeout_s: float) -> bool:
    """Waits until something can be received or the other end is closed; False when ``timeout_s`` is over before."""
    poller = select.poll()
    poller.register(sock, select.POLLIN)
    return bool(poller.poll(1000 * timeout_s))


def send_frame(sock: socket.socket, frame: dict[str, Any]) -> None:
    """One event; OSError when the reader is gone."""
    sock.sendall(_packed(frame))


def _packed(frame: dict[str, Any]) -> bytes:
    data = json.dumps(frame, allow_nan=False).encode()
    return _LENGTH.pack(len(data)) + data


class Events:
    """The sending end of a judgement's events. Each one wakes its reader, so those that can wait a moment go together."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._held = bytearray()
        self._sent_s = 0.0

    def send(self, frame: dict[str, Any]) -> None:
        """One event and all that were held; OSError when the reader is gone."""
        self._held += _packed(frame)
        held, self._held = self._held, bytearray()
        self._sock.sendall(held)
        self._sent_s = time.monotonic()

    def hold(self, frame: dict[str, Any]) -> None:
        """One event that may wait for the next, unless the last has been sent a while ago."""
        if time.monotonic() - self._sent_s > _HOLD_S:
            self.send(frame)
        else:
            self._held += _packed(frame)


def receive_frame(
    sock: socket.socket, deadline: float, most_bytes: int | None = None
) -> dict[str, Any] | None:
    """The next event, or None once the writer is gone; one over ``most_bytes`` counts as that.

    Raises:
        TimeoutError: nothing whole came until ``deadline`` (time.monotonic seconds).
    """
    head = _receive(sock, _LENGTH.size, deadline)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    fits = length <= (FRAME_MAX_BYTES if most_bytes is None else most_bytes)
    body = _receive(sock, length, deadline) if fits else None
    return None if body is None else json.loads(body)


def _receive(sock: socket.socket, size: int, deadline: float) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        sock.settimeout(left)
        try:
            chunk = sock.recv(min(size - len(data), 1 << 20))
        except ConnectionError:
            return None
        if not chunk:
            return None
        data += chunk
    return bytes(data)


def die_with_parent(parent: int) -> None:
    """Makes the kernel kill this process when its parent, the process ``parent``, ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)
