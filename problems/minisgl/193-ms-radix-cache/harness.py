"""Plays operations on your cache and tells what came of each; the comparison is made elsewhere."""

from __future__ import annotations

from typing import Any

import solution
import torch


def replay(config: dict[str, int], runs: list[list[dict[str, Any]]]) -> list[list[Any]]:
    """Every run on a cache of its own. With ``overwrite``, tensors that crossed your border are filled with -7."""
    return [_replay(config, run) for run in runs]


def _replay(config: dict[str, int], run: list[dict[str, Any]]) -> list[Any]:
    cache = solution.RadixCache(config["page_size"])
    handles: dict[str, Any] = {}
    results = []
    for step in run:
        raised, value = "", None
        try:
            value = _take(cache, handles, step, bool(config["overwrite"]))
        except MemoryError:
            raised = "MemoryError"
        results.append([raised, value, cache.evictable_size, cache.protected_size])
    return results


def _take(cache: Any, handles: dict[str, Any], step: dict[str, Any], overwrite: bool) -> Any:
    match step["op"]:
        case "match":
            ids = _tensor(step["ids"])
            handles[step["name"]] = handle = cache.match_prefix(ids)
            if overwrite:
                ids.fill_(-7)
            return [handle.cached_len, _slots(cache.matched_indices(handle), overwrite)]
        case "insert":
            ids, indices = _tensor(step["ids"]), _tensor(step["slots"])
            found, handles[step["name"]] = cache.insert_prefix(ids, indices)
            if overwrite:
                ids.fill_(-7)
                indices.fill_(-7)
            return [found, handles[step["name"]].cached_len]
        case "indices":
            return _slots(cache.matched_indices(handles[step["name"]]), overwrite)
        case "lock":
            return cache.lock(handles[step["name"]])
        case "unlock":
            return cache.unlock(handles[step["name"]])
        case "evict":
            return _slots(cache.evict(step["size"]), overwrite)
    return None


def _tensor(numbers: list[int]) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.int32)


def _slots(found: Any, overwrite: bool) -> Any:
    if not isinstance(found, torch.Tensor):
        return found
    told = [str(found.dtype), found.tolist()]
    if overwrite:
        found.fill_(-7)
    return told


def long_prompts(ids: torch.Tensor, cuts: list[int]) -> list[int]:
    """Cached lengths of prompts that leave ``ids`` at each of ``cuts``, one after the other."""
    cache = solution.RadixCache()
    found = []
    for number, cut in enumerate(cuts):
        prompt = ids.clone()
        prompt[cut] = -number - 1
        found.append(cache.insert_prefix(prompt, torch.arange(len(ids), dtype=torch.int32))[0])
        found.append(cache.match_prefix(ids).cached_len)
    return found
