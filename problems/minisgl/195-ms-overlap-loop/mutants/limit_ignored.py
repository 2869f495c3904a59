# expects: limit-ignored
"""Only EOS ends a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class Running:
    """A request: tokens that may still be launched, and tokens that may still come back."""

    to_launch: int
    to_come: int


def overlap_loop(world: Any, eos: int) -> None:
    """Launches round n + 1 before round n is processed, until there is no request left."""
    running: dict[int, Running] = {}
    stale: set[int] = set()  # requests that ended while another round of theirs was under way
    uids: list[int] = []
    handle, more = None, True
    while more or running or uids:
        new = world.receive()
        more = new is not None
        for uid, max_tokens in new or []:
            running[uid] = Running(max_tokens, max_tokens)
        before, last = uids, handle
        uids = [uid for uid, one in running.items() if one.to_launch]
        if uids:
            handle = world.launch(uids)
        for uid in uids:
            running[uid].to_launch -= 1
        for uid, token in zip(before, last.wait() if before else [], strict=True):
            if uid in stale:
                stale.remove(uid)
                world.free(uid)
                continue
            running[uid].to_come -= 1
            finished = token == eos
            world.send(uid, token, finished)
            if finished:
                del running[uid]
                if uid in uids:
                    stale.add(uid)
                else:
                    world.free(uid)
