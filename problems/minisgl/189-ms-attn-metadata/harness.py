"""Drivers that run beside the submission: what cannot be seen from outside, such as shared storage.

They only call your functions and hand back what they find; the comparison is made elsewhere.
"""

from __future__ import annotations

from typing import Any

import solution
import torch


def prepare_then_overwrite(
    reqs: list[Any], padded_reqs: list[Any], page_table: torch.Tensor, cells: torch.Tensor
) -> Any:
    """The metadata, as it is after the engine wrote ``cells`` into its page table for the next batch."""
    meta = solution.prepare_metadata(reqs, padded_reqs, page_table)
    page_table.copy_(cells)
    return meta


def prepare_and_show_inputs(
    reqs: list[Any], padded_reqs: list[Any], page_table: torch.Tensor
) -> dict[str, Any]:
    """The result of a call, and the arguments as they are after it."""
    meta = solution.prepare_metadata(reqs, padded_reqs, page_table)
    return {"meta": meta, "reqs": reqs, "padded_reqs": padded_reqs, "page_table": page_table}


def prepare_then_fill(
    reqs: list[Any], padded_reqs: list[Any], page_table: torch.Tensor, keys: list[str], number: int
) -> dict[str, Any]:
    """Each result as it is after those before it in ``keys`` were filled with ``number``."""
    meta = dict(solution.prepare_metadata(reqs, padded_reqs, page_table))
    for key in keys:
        found = meta[key]
        if isinstance(found, torch.Tensor):
            meta[key] = found.clone(memory_format=torch.preserve_format)
            found.fill_(number)
    return meta


def prepare_twice(first: list[Any], second: list[Any]) -> list[Any]:
    """The metadata of two batches, both as they are at the end; each batch is ``[reqs, padded_reqs, page_table]``."""
    return [solution.prepare_metadata(*first), solution.prepare_metadata(*second)]


def forward_then_overwrite(
    q: torch.Tensor, k_pool: torch.Tensor, v_pool: torch.Tensor, meta: dict[str, Any], new: list[torch.Tensor]
) -> Any:
    """The output, as it is after the next layer wrote ``new`` over q and both pools."""
    out = solution.forward(q, k_pool, v_pool, meta)
    for old, cells in zip((q, k_pool, v_pool), new, strict=True):
        old.copy_(cells)
    return out


def forward_and_show_inputs(
    q: torch.Tensor, k_pool: torch.Tensor, v_pool: torch.Tensor, meta: dict[str, Any]
) -> dict[str, Any]:
    """The result of a call, and the arguments as they are after it."""
    out = solution.forward(q, k_pool, v_pool, meta)
    return {"out": out, "q": q, "k_pool": k_pool, "v_pool": v_pool, "meta": meta}


def forward_twice(first: list[Any], second: list[Any]) -> list[Any]:
    """The outputs of two calls, both as they are at the end; each is ``[q, k_pool, v_pool, meta]``."""
    return [solution.forward(*first), solution.forward(*second)]
