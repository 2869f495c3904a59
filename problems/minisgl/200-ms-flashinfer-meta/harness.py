"""Drivers that run beside your functions: what cannot be seen from outside, such as shared storage."""

from __future__ import annotations

from typing import Any

import solution
import torch


def call_and_show_inputs(padded_reqs: list[Any], page_table: torch.Tensor, page_size: int) -> list[Any]:
    """The metadata, and the arguments as they are after the call."""
    meta = solution.flashinfer_metadata(padded_reqs, page_table, page_size)
    return [meta, padded_reqs, page_table]


def call_then_overwrite(padded_reqs: list[Any], page_table: torch.Tensor, page_size: int, number: int) -> Any:
    """The metadata, as they are after the engine wrote ``number`` into its whole table."""
    meta = solution.flashinfer_metadata(padded_reqs, page_table, page_size)
    page_table.fill_(number)
    return meta


def call_then_fill(
    padded_reqs: list[Any], page_table: torch.Tensor, page_size: int, keys: list[str], number: int
) -> Any:
    """Each result as it is after those before it in ``keys`` were filled with ``number``."""
    meta = dict(solution.flashinfer_metadata(padded_reqs, page_table, page_size))
    for key in keys:
        found = meta[key]
        meta[key] = found.clone(memory_format=torch.preserve_format)
        found.fill_(number)
    return meta


def attend_and_show(*args: Any) -> list[Any]:
    """The output of attention, and the tensors that went in, afterwards."""
    q, k_cache, v_cache, meta, _ = args
    return [solution.paged_attention_from_meta(*args), q, k_cache, v_cache, meta]
