"""Index tensors that every backend needs, and the fixed buffers of a captured decode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch


def pin(device: torch.device) -> bool:
    """Whether to stage host data in pinned memory: only then is a copy to the GPU asynchronous."""
    return device.type == "cuda"


def make_int32(values: Sequence[int], device: torch.device, use_pin: bool) -> torch.Tensor:
    """int32 [len(values)] on device, without waiting for it."""
    host = torch.tensor(values, dtype=torch.int32, pin_memory=use_pin)
    return host.to(device, non_blocking=True)


def make_cu_seqlens(seqlens: Sequence[int], device: torch.device, use_pin: bool) -> torch.Tensor:
    """int32 [len(seqlens) + 1]: 0, then the running sums; segment i is [cu[i], cu[i + 1])."""
    # summed on the host: torch.cumsum would widen int32 to int64
    return make_int32([0, *accumulate(seqlens)], device, use_pin)


@dataclass
class CaptureBuffers:
    """What a captured decode of up to max_bs requests reads, in the layout of FlashAttention.

    One query a request, so cu_seqlens_q (int32 [max_bs + 1]) counts up and never changes.
    """

    seq_lens: torch.Tensor  # int32 [max_bs]
    cu_seqlens_q: torch.Tensor
    page_table: torch.Tensor  # int32 [max_bs, max_seq_len]; columns past a request's length are stale

    @classmethod
    def create(cls, max_bs: int, max_seq_len: int, device: torch.device) -> CaptureBuffers:
        """Buffers of a batch whose requests have one token each, in slot 0."""
        return cls(
            seq_lens=torch.ones(max_bs, dtype=torch.int32, device=device),
            cu_seqlens_q=torch.arange(max_bs + 1, dtype=torch.int32, device=device),
            page_table=torch.zeros((max_bs, max_seq_len), dtype=torch.int32, device=device),
        )
