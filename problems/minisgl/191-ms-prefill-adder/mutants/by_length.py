# expects: part-by-length
"""The length of the chunk is kept, and not where it ends."""

from __future__ import annotations

from dataclasses import replace

from support import PendingReq


def schedule_prefill(
    pending: list[PendingReq],
    token_budget: int,
    reserved_size: int,
    available_kv: int,
    free_rows: int,
) -> tuple[list[tuple[int, int, int]], list[PendingReq]]:
    """Plans one round of prefill: [(uid, start, end), ...], and the requests that still wait."""
    batch: list[tuple[int, int, int]] = []
    unfinished: list[PendingReq] = []
    for req in pending:
        if token_budget <= 0:
            break
        start = req.cached_len if req.chunked is None else req.chunked
        need = req.input_len - start + req.output_len
        if req.chunked is None:
            if free_rows == 0 or need + reserved_size > available_kv:
                break
            free_rows -= 1
        reserved_size += need
        end = min(start + token_budget, req.input_len)
        token_budget -= end - start
        batch.append((req.uid, start, end))
        if end < req.input_len:
            unfinished.append(replace(req, chunked=end - start))
    return batch, unfinished + pending[len(batch) :]
