# expects: frees-all
"""What is double ends where the new handle does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def cache_req(cache: Any, req: Any, finished: bool, free: Callable[[torch.Tensor], None]) -> None:
    """Hands the slots of the first cached_len tokens over to the cache; frees what it has already."""
    row, old = req.row[: req.cached_len], req.handle
    known, new = cache.insert_prefix(req.input_ids[: req.cached_len], row)
    cache.unlock(old)
    give_back(row[old.cached_len : new.cached_len], free)
    if finished:
        give_back(row[new.cached_len :], free)
    else:
        row[: new.cached_len] = new.matched_indices
        cache.lock(new)
        req.handle = new


def give_back(slots: torch.Tensor, free: Callable[[torch.Tensor], None]) -> None:
    """Frees slots, if there are any."""
    if len(slots):
        free(slots.clone())
