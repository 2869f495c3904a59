"""How many browsers may be connected at once, and when an idle connection is closed."""

from __future__ import annotations

import resource
from functools import partial

from waitress.server import BaseWSGIServer

CONNECTIONS = 4000  # browsers keep theirs open, some six each: beyond it nobody gets in
OTHER_FILES = 256  # databases, pipes to zygotes and graders, logs
IDLE_S = 5.0  # enough for a page and its files; waitress looks at every open connection at each event


def room_for_connections() -> int:
    """How many connections may be open at once, after this process has been allowed as many files as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + OTHER_FILES
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return max(100, allowed - OTHER_FILES)


def close_idle_soon(server: BaseWSGIServer) -> None:
    """Have ``server`` close after `IDLE_S` what carries nothing; a slow request or answer keeps waitress's own patience."""
    patient = server.maintenance

    def maintain(server: BaseWSGIServer, now: float) -> None:
        patient(now)
        for channel in server.active_channels.values():
            busy = channel.requests or channel.request is not None or channel.total_outbufs_len
            if not busy and channel.last_activity < now - IDLE_S:
                channel.will_close = True

    server.maintenance = partial(maintain, server)
