# expects: raised-twice
"""The token raises device_len once more."""

from __future__ import annotations

import torch


class Req:
    """0 <= cached_len < device_len <= max_device_len; compared and hashed by identity."""

    def __init__(self, input_ids: torch.Tensor, cached_len: int, output_len: int) -> None:
        self.input_ids = input_ids
        self.cached_len = cached_len
        self.device_len = len(input_ids)
        self.max_device_len = len(input_ids) + output_len
        if not 0 <= cached_len < self.device_len <= self.max_device_len:
            raise ValueError(f"cached_len {cached_len}, {self.device_len} tokens, output_len {output_len}")

    @property
    def extend_len(self) -> int:
        """Tokens whose K and V this step computes."""
        return self.device_len - self.cached_len

    @property
    def remain_len(self) -> int:
        """Tokens it may still grow by."""
        return self.max_device_len - self.device_len

    @property
    def can_decode(self) -> bool:
        """Whether it may be given another token."""
        return self.remain_len > 0

    def complete_one(self) -> None:
        """Books a step: all tokens are cached, and one more is coming."""
        self.cached_len = self.device_len
        self.device_len += 1

    def append_host(self, next_token: torch.Tensor) -> None:
        """Adds the sampled token [1] to the ids; the lengths were booked by complete_one."""
        self.input_ids = torch.cat([self.input_ids, next_token.to(self.input_ids.dtype)])
        self.device_len += 1
