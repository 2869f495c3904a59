"""The requests that decode: all of them together, one token a step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from minisgl.core import Batch, Req


@dataclass
class DecodeManager:
    """Who runs. A request stays until its last token was launched, or until it is removed."""

    page_size: int
    running_reqs: set[Req] = field(default_factory=set)

    @property
    def inflight_tokens(self) -> int:
        """Slots that the running requests may still need: each may begin one page more than it fills."""
        return sum(req.remain_len + self.page_size - 1 for req in self.running_reqs)

    @property
    def runnable(self) -> bool:
        """True if somebody runs."""
        return bool(self.running_reqs)

    def filter_reqs(self, reqs: Iterable[Req]) -> None:
        """After a launch: its requests join, and those that may not grow any more leave."""
        self.running_reqs = {req for req in self.running_reqs.union(reqs) if req.can_decode}

    def remove_req(self, req: Req) -> None:
        """A request that ended otherwise; no matter if it does not run."""
        self.running_reqs.discard(req)

    def abort_req(self, uid: int) -> Req | None:
        """Removes and returns a running request."""
        for req in self.running_reqs:
            if req.uid == uid:
                self.running_reqs.remove(req)
                return req
        return None

    def schedule_next_batch(self) -> Batch | None:
        """All of them, in an order that is the same on every rank."""
        reqs = sorted(self.running_reqs, key=lambda req: req.uid)
        return Batch(reqs, "decode") if reqs else None
