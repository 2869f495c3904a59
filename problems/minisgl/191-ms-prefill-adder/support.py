"""Given: `PendingReq`, a request that waits for its prefill or is in the middle of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class PendingReq:
    """All lengths count tokens; 0 <= cached_len < input_len."""

    uid: int
    input_len: int  # its prompt
    output_len: int  # what it may generate
    cached_len: int  # of the prompt, found in the prefix cache
    chunked: int | None = None  # of the prompt, done in earlier rounds; None: not admitted yet
