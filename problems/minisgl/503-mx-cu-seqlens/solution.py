"""Reference solution of #503: two conditions over all requests, and two running sums that stay int32."""

from __future__ import annotations

import torch

Request = tuple[int, int]  # cached_len, device_len


def choose_path(reqs: list[Request]) -> str:
    """ "decode", "no-prefix" or "general": the first that fits every request."""
    if all(device_len == cached_len + 1 for cached_len, device_len in reqs):
        return "decode"
    if all(cached_len == 0 for cached_len, _ in reqs):
        return "no-prefix"
    return "general"


def make_cu_seqlens(reqs: list[Request], device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """int32 [len(reqs) + 1] twice: running sums of the queries of this round, and of the KV."""
    extend_lens = [device_len - cached_len for cached_len, device_len in reqs]
    return running_sum(extend_lens, device), running_sum([device_len for _, device_len in reqs], device)


def running_sum(lens: list[int], device: str) -> torch.Tensor:
    """0, then the sums; in place, because torch.cumsum would widen int32 to int64."""
    return torch.tensor([0, *lens], dtype=torch.int32, device=device).cumsum_(0)
