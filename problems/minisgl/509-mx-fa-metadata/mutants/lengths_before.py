# expects: lengths-before
"""Lengths before this round."""

from __future__ import annotations

from itertools import accumulate

import torch

Request = tuple[int, int, int]  # table_idx, cached_len, device_len


def fa_metadata(
    padded_reqs: list[Request], page_table: torch.Tensor, page_size: int
) -> dict[str, torch.Tensor | int]:
    """What FlashAttention's paged varlen call takes, on the table's device."""

    def int32(values: list[int]) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.int32, device=page_table.device)

    lens_q = [device_len - cached_len for _, cached_len, device_len in padded_reqs]
    lens_k = [device_len for _, _, device_len in padded_reqs]
    rows = int32([row for row, _, _ in padded_reqs])
    max_seqlen_k = max(lens_k, default=0)
    first_slots = page_table[:, :max_seqlen_k:page_size].index_select(0, rows)
    return {
        "cu_seqlens_q": int32([*accumulate(lens_q, initial=0)]),
        "cu_seqlens_k": int32([*accumulate(lens_k, initial=0)]),
        "cache_seqlens": int32([start for _, start, _ in padded_reqs]),
        "max_seqlen_q": max(lens_q, default=0),
        "max_seqlen_k": max_seqlen_k,
        "page_table": first_slots // page_size,
    }
