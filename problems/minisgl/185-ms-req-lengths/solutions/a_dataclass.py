"""A dataclass with eq switched off, and what is left counted down."""

from dataclasses import dataclass, field

import torch


@dataclass(eq=False)
class Req:
    input_ids: torch.Tensor
    cached_len: int
    output_len: int
    extend_len: int = field(init=False)
    remain_len: int = field(init=False)

    def __post_init__(self):
        length = self.input_ids.shape[0]
        if self.cached_len < 0 or self.cached_len >= length or self.output_len < 0:
            raise ValueError("need 0 <= cached_len < number of tokens, and output_len >= 0")
        self.extend_len = length - self.cached_len
        self.remain_len = self.output_len

    @property
    def device_len(self):
        return self.cached_len + self.extend_len

    @property
    def max_device_len(self):
        return self.device_len + self.remain_len

    @property
    def can_decode(self):
        return self.remain_len >= 1

    def complete_one(self):
        self.cached_len += self.extend_len
        self.extend_len = 1
        self.remain_len -= 1

    def append_host(self, next_token):
        longer = torch.empty(self.input_ids.shape[0] + 1, dtype=torch.int32)
        longer[:-1] = self.input_ids
        longer[-1] = next_token[0]
        self.input_ids = longer
