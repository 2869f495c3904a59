# expects: half-computed
"""Scores and weights in the dtype of q."""

from __future__ import annotations

from itertools import accumulate

import torch
import torch.nn.functional as F

Request = tuple[int, int, int]  # table_idx, cached_len, device_len


def int32(values: list[int]) -> torch.Tensor:
    """A host tensor, for plan() to read."""
    return torch.tensor(values, dtype=torch.int32)


def flashinfer_metadata(
    padded_reqs: list[Request], page_table: torch.Tensor, page_size: int
) -> dict[str, torch.Tensor]:
    """The pages of all requests end to end, and where each request's begin: what FlashInfer's plan takes."""
    lens_q = [device_len - cached_len for _, cached_len, device_len in padded_reqs]
    last = [(device_len - 1) % page_size + 1 for _, _, device_len in padded_reqs]
    firsts = [page_table[row, :device_len:page_size] for row, _, device_len in padded_reqs]
    return {
        "qo_indptr": int32([*accumulate(lens_q, initial=0)]),
        "kv_indptr": int32([*accumulate(map(len, firsts), initial=0)]),
        "kv_indices": torch.cat([page_table.new_empty(0), *firsts]) // page_size,
        "kv_last_page_len": int32(last),
    }


def paged_attention_from_meta(
    q: torch.Tensor,
    k_cache: torch.Tensor,
    v_cache: torch.Tensor,
    meta: dict[str, torch.Tensor],
    page_size: int,
) -> torch.Tensor:
    """Causal attention of q [N, H, d] over pages [num_pages, page_size, H_kv, d]: [N, H, d] in q's dtype."""
    out = torch.empty_like(q)
    q_at, kv_at = meta["qo_indptr"].tolist(), meta["kv_indptr"].tolist()
    for i, last in enumerate(meta["kv_last_page_len"].tolist()):
        pages = meta["kv_indices"][kv_at[i] : kv_at[i + 1]].long()
        length = (len(pages) - 1) * page_size + last
        rows = slice(q_at[i], q_at[i + 1])
        queries = q[rows].transpose(0, 1)
        k, v = (cache[pages].flatten(0, 1)[:length].transpose(0, 1) for cache in (k_cache, v_cache))
        visible = torch.ones(queries.shape[1], length, dtype=torch.bool).tril(length - queries.shape[1])
        k, v = (one.repeat_interleave(len(queries) // len(one), 0) for one in (k, v))
        scores = (queries @ k.mT) * q.shape[2] ** -0.5
        found = scores.masked_fill(~visible, float("-inf")).softmax(-1) @ v
        out[rows] = found.transpose(0, 1).to(q.dtype)
    return out
