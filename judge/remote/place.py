"""The socket in a data folder by which a server judges what the command line has, and who is at its other end."""

from __future__ import annotations

import hashlib
import os
import socket
import struct
from pathlib import Path

NAME = "judge.sock"
_PATH_MAX_BYTES = 100  # the kernel takes 107 in a socket's address
_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid


def socket_in(folder: Path) -> Path:
    """The socket's path in ``folder``, which exists; by a descriptor, kept open, where the folder's own is too long."""
    path = folder / NAME
    if len(os.fsencode(path)) <= _PATH_MAX_BYTES:
        return path
    return Path(f"/proc/self/fd/{os.open(folder, os.O_RDONLY | os.O_DIRECTORY)}") / NAME


def is_own(sock: socket.socket) -> bool:
    """Whether the process at the other end is this user's, by the kernel's word."""
    told = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    uid: int = _CREDENTIALS.unpack(told)[1]
    return uid == os.geteuid()


def place_of(database_url: str) -> str:
    """A name for a database that two processes can compare without telling its password."""
    return hashlib.sha256(database_url.encode()).hexdigest()[:32]
