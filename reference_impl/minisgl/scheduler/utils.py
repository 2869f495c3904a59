"""What waits to be admitted."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from minisgl.core import Req, SamplingParams


class ChunkedReq(Req):
    """A part of a prompt that is not the last: its logits mean nothing, so no token is taken from them."""

    @property
    def can_decode(self) -> bool:
        """Never: the rest of the prompt comes first."""
        return False

    def append_host(self, next_token: torch.Tensor) -> None:
        """RuntimeError."""
        raise RuntimeError("a chunk of a prompt was given a token")


@dataclass(eq=False)
class PendingReq:
    """A request with prompt tokens still to compute; input_ids: int32 [n >= 1] on the CPU."""

    uid: int
    input_ids: torch.Tensor
    sampling_params: SamplingParams
    output_len: int  # tokens that it may generate
    chunked_req: ChunkedReq | None = field(default=None)  # its last chunk, if it was admitted already

    @property
    def input_len(self) -> int:
        """Tokens of the prompt."""
        return len(self.input_ids)
